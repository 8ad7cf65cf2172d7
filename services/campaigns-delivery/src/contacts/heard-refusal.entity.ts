import { defineEntity, p } from '@mikro-orm/core'
import { newId, sql, statement, type Em } from '@lettergate/database'

/** Contacts who recently withdrew or were suppressed. A verdict that is older than the row must be asked for again. */
export const HeardRefusal = defineEntity({
  name: 'HeardRefusal',
  tableName: 'refusals_heard',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    heardAt: p.datetime(),
  },
})

const insertRefusals = statement('insert-refusals-heard')

export async function recordRefusals(em: Em, workspaceId: string, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return
  await insertRefusals.execute(
    em,
    sql`insert into refusals_heard (workspace_id, id, contact_id)
        select ${workspaceId}::uuid, t.* from unnest(${contactIds.map(() => newId())}::uuid[], ${[...contactIds]}::uuid[]) as t`,
  )
}

/** True if any of these contacts withdrew or was suppressed after this database time. */
export const isRefusedSince = (workspaceId: string, contactIds: readonly string[], since: string) =>
  sql`exists (select from refusals_heard where workspace_id = ${workspaceId} and heard_at > ${since}::timestamptz and contact_id = any(${[...contactIds]}::uuid[]))`

/** No verdict is used for this long. */
const keptMinutes = 60
const purgedAtOnce = 5_000

const deleteOldRefusals = statement('delete-old-refusals-heard')

/** Deletes a bounded number of rows that are older than any verdict. */
export const purgeRefusals = (em: Em): Promise<number> =>
  deleteOldRefusals.execute(
    em,
    sql`delete from refusals_heard where (workspace_id, id) in (
          select workspace_id, id from refusals_heard where heard_at < now() - ${keptMinutes} * interval '1 minute' limit ${purgedAtOnce})`,
  )
