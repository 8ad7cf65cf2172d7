import { sql } from '@lettergate/database'
import type { Search } from './search.ts'
import { begins, withDomain, withName } from './contact-word.entity.ts'

const address = sql`c.normalized_email collate "C"`
const lowered = (column: string) => sql`in_lower_case(${sql.ref(`c.${column}`)})`

/** Contacts c whose address begins so, or is of that domain. */
export const addressMatches = (search: Search) =>
  'domain' in search
    ? sql`split_part(c.normalized_email, '@', 2) = ${search.domain}`
    : sql`(${begins(address, search.beginning)})`

/** Contacts c whose address, names or company begin so. */
export function contactMatches(search: Search) {
  if ('domain' in search) return addressMatches(search)
  const names = ['first_name', 'last_name', 'company'].map(
    (name) => sql`starts_with(${lowered(name)}, ${search.beginning})`,
  )
  return sql`(${sql.join([addressMatches(search), ...names], sql` or `)})`
}

/** The ids that addressMatches finds, from an index. */
export const matchingAddresses = (workspaceId: string, search: Search) =>
  'domain' in search
    ? withDomain(workspaceId, search.domain)
    : sql`select c.id from contacts c where c.workspace_id = ${workspaceId} and ${addressMatches(search)}`

/** The ids that contactMatches finds, each question from its own index. */
export const matchingContacts = (workspaceId: string, search: Search) =>
  'domain' in search
    ? [withDomain(workspaceId, search.domain)]
    : [
        matchingAddresses(workspaceId, search),
        sql`select distinct id from (${withName(workspaceId, search.beginning)}) found`,
      ]
