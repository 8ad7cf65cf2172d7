import { defineEntity, p } from '@mikro-orm/core'
import { columns, sql, statement, type Em } from '@lettergate/database'

/** The organization that sends under a domain name. Organizations can share credentials, so the provider does not know it. */
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
 * Reserves a name for an organization, unless another organization has it. Answers whether the organization has the name now.
 * The row stays locked until the transaction ends.
 */
export async function holdDomain(em: Em, domainName: string, organization: string): Promise<boolean> {
  const holder = await insertHolder.row(
    em,
    sql`insert into domain_holders (domain_name, organization) values (${domainName}, ${organization})
        on conflict (domain_name) do update set organization = domain_holders.organization returning organization`,
  )
  return holder?.organization === organization
}

/** Whether an organization has this name. A trigger releases the name with its last domain. */
export async function isHeld(em: Em, domainName: string): Promise<boolean> {
  return (await em.count(DomainHolder, { domainName })) > 0
}
