import { sql } from '@lettergate/database'
import { beginsWith, type Search } from '../domain/search.ts'

const lowered = (column: string) => sql`(lower(${sql.ref(column)} collate "und-x-icu") collate "C")`

/** Contacts c whose address begins so, or is of that domain. */
export const addressMatches = (search: Search) =>
  'domain' in search
    ? sql`split_part(c.normalized_email, '@', 2) = ${search.domain}`
    : sql`c.normalized_email collate "C" like ${beginsWith(search.beginning)}`

function alternatives(search: Search) {
  if ('domain' in search) return [addressMatches(search)]
  const pattern = beginsWith(search.beginning)
  const names = ['first_name', 'last_name', 'company'].map(
    // told apart from null, because the planner does not see that through the collation, and the index leaves nulls out
    (name) => sql`(${sql.ref(`c.${name}`)} is not null and ${lowered(`c.${name}`)} like ${pattern})`,
  )
  return [addressMatches(search), ...names]
}

/** Contacts c whose address, names or company begin so. */
export const contactMatches = (search: Search) => sql`(${sql.join(alternatives(search), sql` or `)})`

/** The same as a question for their ids, each alternative asked of its own index. */
export const matchingContacts = (workspaceId: string, search: Search) =>
  sql.join(
    alternatives(search).map(
      (one) => sql`select c.id from contacts c where c.workspace_id = ${workspaceId} and ${one}`,
    ),
    sql` union `,
  )
