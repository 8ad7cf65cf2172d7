import { defineEntity, p } from '@mikro-orm/core'
import { execute, sql, type Em } from '@lettergate/database'

export const DeliveryBatches = defineEntity({
  name: 'DeliveryBatch',
  tableName: 'delivery_batches',
  properties: {
    runId: p.uuid().primary(),
    batch: p.integer().primary(),
    workspaceId: p.uuid(),
    isSingles: p.boolean(),
    dueAt: p.datetime(),
    publishedAt: p.datetime().nullable(),
    doneAt: p.datetime().nullable(),
  },
})

/** Inserts the batches 0 to `count` - 1 of a run, open and due. */
export async function insertBatches(em: Em, workspaceId: string, runId: string, count: number): Promise<void> {
  await execute(
    em,
    sql`insert into delivery_batches (workspace_id, run_id, batch) select ${workspaceId}::uuid, ${runId}::uuid, n from generate_series(0, ${count}::integer - 1) as n`,
  )
}
