import { defineEntity, p } from '@mikro-orm/core'
import { columns, sql, statement, type Em } from '@lettergate/database'

/** Which organization sends under a name. Credentials are shared over the platform, so the provider cannot tell. */
export const DomainHolder = defineEntity({
  name: 'DomainHolder',
  tableName: 'domain_holders',
  properties: {
    domainName: p.text().primary(),
    organization: p.text(),
    heldSince: p.datetime().defaultRaw('now()'),
    domains: p.integer().default(0),
  },
})

const insertHolder = statement('hold-domain-name', columns(DomainHolder, 'organization'))

/**
 * Takes a name for an organization, unless another one has it; answers whether it is theirs now. Until the transaction ends
 * nobody takes it or gives it up.
 */
export async function holdDomain(em: Em, domainName: string, organization: string): Promise<boolean> {
  const holder = await insertHolder.row(
    em,
    sql`insert into domain_holders (domain_name, organization) values (${domainName}, ${organization})
        on conflict (domain_name) do update set organization = domain_holders.organization returning organization`,
  )
  return holder?.organization === organization
}

/** Whether anybody has that name. It is given up by the schema, with the last domain under it. */
export async function isHeld(em: Em, domainName: string): Promise<boolean> {
  return (await em.count(DomainHolder, { domainName })) > 0
}
