import { defineEntity, p } from '@mikro-orm/core'
import { sql } from '@lettergate/database'

/**
 * What contacts are found by: names and company in lower case, the domain of the address. Triggers on
 * contacts keep it. Compared with = < >= alone: nothing else may use an index under row-level security.
 */
export const ContactWord = defineEntity({
  name: 'ContactWord',
  tableName: 'contact_words',
  properties: {
    workspaceId: p.uuid().primary(),
    word: p.text().primary(),
    contactId: p.uuid().primary(),
  },
})

/** The ids of everybody with one of these words. */
const withWord = (workspaceId: string, condition: ReturnType<typeof sql>) =>
  sql`select k.contact_id as id from contact_words k where k.workspace_id = ${workspaceId} and ${condition}`

export const withDomain = (workspaceId: string, domain: string) => withWord(workspaceId, sql`k.word = ${`d:${domain}`}`)

/** Where a column in byte order begins so: the last code point there is comes after whatever may follow. */
export const begins = (column: ReturnType<typeof sql>, beginning: string) =>
  sql`${column} >= ${beginning} and ${column} < ${`${beginning}\u{10ffff}`}`

export const withName = (workspaceId: string, beginning: string) =>
  withWord(workspaceId, begins(sql`k.word`, `n:${beginning}`))
