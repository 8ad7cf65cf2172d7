import { defineEntity, p } from '@mikro-orm/core'
import { execute, row, sql, type Em } from '@lettergate/database'

/** Which organization sends under a name. Credentials are shared over the platform, so the provider cannot tell. */
export const DomainHolders = defineEntity({
  name: 'DomainHolder',
  tableName: 'domain_holders',
  properties: {
    domainName: p.text().primary(),
    organization: p.text(),
    heldSince: p.datetime().defaultRaw('now()'),
  },
})

/** Takes a name for an organization, unless another one was there first; answers whether it is theirs now. */
export async function holdDomain(em: Em, domainName: string, organization: string): Promise<boolean> {
  await execute(
    em,
    sql`insert into domain_holders (domain_name, organization) values (${domainName}, ${organization}) on conflict do nothing`,
  )
  const holder = await row<{ organization: string }>(
    em,
    sql`select organization from domain_holders where domain_name = ${domainName}`,
  )
  return holder?.organization === organization
}
