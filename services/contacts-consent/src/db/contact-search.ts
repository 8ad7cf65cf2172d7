import { sql } from '@lettergate/database'
import { beginsWith, type Search } from '../domain/search.ts'

const lowered = (column: string) => sql`(lower(${sql.ref(column)} collate "und-x-icu") collate "C")`

/** Contacts c whose address begins so, or is of that domain. */
export const addressMatches = (search: Search) =>
  'domain' in search
    ? sql`split_part(c.normalized_email, '@', 2) = ${search.domain}`
    : sql`c.normalized_email collate "C" like ${beginsWith(search.beginning)}`

/** Contacts c whose address, names or company begin so. Each alternative has an index. */
export function contactMatches(search: Search) {
  if ('domain' in search) return addressMatches(search)
  const pattern = beginsWith(search.beginning)
  const names = ['first_name', 'last_name', 'company'].map((name) => sql`${lowered(`c.${name}`)} like ${pattern}`)
  return sql`(${sql.join([addressMatches(search), ...names], sql` or `)})`
}
