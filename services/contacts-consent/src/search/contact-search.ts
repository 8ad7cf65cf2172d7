import { sql, type Sql } from '@lettergate/database'
import type { Search } from './search.ts'

/** Columns of contacts in lower case. Only = < and >= are leakproof, so that they use an index under row-level security. */
const names = ['first_name_lower', 'last_name_lower', 'company_lower']

/** A prefix condition for a column in byte order. The upper bound is the prefix with the last code point. */
const begins = (column: Sql, beginning: string) =>
  sql`(${column} >= ${beginning} and ${column} < ${`${beginning}\u{10ffff}`})`

/** Contacts c with this beginning or this domain of the address. */
export const addressMatches = (search: Search) =>
  'domain' in search
    ? sql`c.email_domain = ${search.domain}`
    : begins(sql`c.normalized_email collate "C"`, search.beginning)

const nameMatches = (name: string, beginning: string) => begins(sql.ref(`c.${name}`), beginning)

/** Contacts c with this beginning of the address, a name or the company. */
export function contactMatches(search: Search) {
  if ('domain' in search) return addressMatches(search)
  const named = names.map((name) => nameMatches(name, search.beginning))
  return sql`(${sql.join([addressMatches(search), ...named], sql` or `)})`
}

const idsOf = (workspaceId: string, condition: Sql) =>
  sql`select c.id from contacts c where c.workspace_id = ${workspaceId} and ${condition}`

/** The ids that addressMatches finds, from an index. */
export const matchingAddresses = (workspaceId: string, search: Search) => idsOf(workspaceId, addressMatches(search))

/** The ids that contactMatches finds, each query with its own index. */
export const matchingContacts = (workspaceId: string, search: Search) => [
  matchingAddresses(workspaceId, search),
  ...('domain' in search ? [] : names.map((name) => idsOf(workspaceId, nameMatches(name, search.beginning)))),
]
