import { defineEntity, p } from '@mikro-orm/core'
import { execute, newId, sql, type Em } from '@lettergate/database'

/** Who withdrew or was suppressed a moment ago: a verdict from before that is asked for again. */
export const RefusalsHeard = defineEntity({
  name: 'RefusalHeard',
  tableName: 'refusals_heard',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    heardAt: p.datetime(),
  },
})

export async function recordRefusals(em: Em, workspaceId: string, contactIds: readonly string[]): Promise<void> {
  if (contactIds.length === 0) return
  await execute(
    em,
    sql`insert into refusals_heard (workspace_id, id, contact_id)
        select ${workspaceId}::uuid, t.* from unnest(${contactIds.map(() => newId())}::uuid[], ${[...contactIds]}::uuid[]) as t`,
  )
}

/** Whether any of these people was heard to refuse after that moment of the database's clock. */
export const isRefusedSince = (workspaceId: string, contactIds: readonly string[], since: string) =>
  sql`exists (select from refusals_heard where workspace_id = ${workspaceId} and heard_at > ${since}::timestamptz and contact_id = any(${[...contactIds]}::uuid[]))`

/** No verdict lives as long. */
const keptMinutes = 60
const purgedAtOnce = 5_000

/** Forgets a bounded number of those that no verdict can be older than. */
export const purgeRefusals = (em: Em): Promise<number> =>
  execute(
    em,
    sql`delete from refusals_heard where (workspace_id, id) in (
          select workspace_id, id from refusals_heard where heard_at < now() - ${keptMinutes} * interval '1 minute' limit ${purgedAtOnce})`,
  )
