import { defineEntity, p } from '@mikro-orm/core'
import { sql, statement, type Em } from '@lettergate/database'

export const DeliveryBatch = defineEntity({
  name: 'DeliveryBatch',
  tableName: 'delivery_batches',
  properties: {
    runId: p.uuid().primary(),
    batch: p.integer().primary(),
    workspaceId: p.uuid(),
    isSingles: p.boolean().default(false),
    dueAt: p.datetime().defaultRaw('now()'),
    publishedAt: p.datetime().nullable(),
    doneAt: p.datetime().nullable(),
  },
})

const insertNumbered = statement('insert-delivery-batches')

/** Inserts the batches 0 to `count` - 1 of a run, open and due. */
export async function insertBatches(em: Em, workspaceId: string, runId: string, count: number): Promise<void> {
  await insertNumbered.execute(
    em,
    sql`insert into delivery_batches (workspace_id, run_id, batch) select ${workspaceId}::uuid, ${runId}::uuid, n from generate_series(0, ${count}::integer - 1) as n`,
  )
}

/** Makes the open batches of a run due again. Workers that received them while the run was not being sent left them untouched. */
export async function publishAgain(em: Em, workspaceId: string, runId: string): Promise<void> {
  await em.nativeUpdate(
    DeliveryBatch,
    { workspaceId, runId, doneAt: null, publishedAt: { $ne: null } },
    { publishedAt: null },
  )
}
