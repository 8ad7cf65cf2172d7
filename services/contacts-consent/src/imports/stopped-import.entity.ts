import { defineEntity, p } from '@mikro-orm/core'
import { column, prepared, sql, statement, type Em } from '@lettergate/database'

/** An import of which no batch up to this epoch writes anything any more. */
export const StoppedImport = defineEntity({
  name: 'StoppedImport',
  tableName: 'stopped_imports',
  properties: {
    workspaceId: p.uuid().primary(),
    importId: p.uuid().primary(),
    stoppedThrough: p.integer(),
    stoppedAt: p.datetime().defaultRaw('now()'),
  },
})

/** What one worker applies of an import. A worker that takes the import later has a higher epoch. */
export interface ImportEpoch {
  readonly importId: string
  readonly epoch: number
}

const lockOf = (importId: string) => sql`hashtextextended('import ' || ${importId}::text, 0)`

const insertStopped = statement('stop-import')
const awaitBatches = statement('await-batches-of-import', { held: column.integer() })
const lockBatch = statement('lock-batch-of-import', { held: column.integer() })
const selectStopped = statement('select-whether-import-is-stopped', { is_stopped: column.boolean() })

/** Stores that this epoch and earlier ones write nothing in a transaction that begins after the commit. */
export const stopBatches = (em: Em, workspaceId: string, { importId, epoch }: ImportEpoch): Promise<number> =>
  insertStopped.execute(
    em,
    sql`insert into stopped_imports as s (workspace_id, import_id, stopped_through)
        values (${workspaceId}, ${importId}, ${epoch})
        on conflict (workspace_id, import_id) do update set stopped_through = excluded.stopped_through
         where s.stopped_through < excluded.stopped_through`,
  )

/** Waits for the transactions of the import that hold `holdBatch`. */
export const waitForBatches = (em: Em, importId: string): Promise<unknown> =>
  awaitBatches.row(em, sql`select 1 as held from pg_advisory_xact_lock(${lockOf(importId)})`)

/** Whether a batch may be written. If so, a stop of it waits for the end of this transaction. */
export async function holdBatch(em: Em, workspaceId: string, { importId, epoch }: ImportEpoch): Promise<boolean> {
  const locked = await lockBatch.rowLater(
    em,
    sql`select 1 as held from pg_advisory_xact_lock_shared(${lockOf(importId)})`,
  )
  const found = await selectStopped.row(
    em,
    prepared(sql`select exists (select from stopped_imports
           where workspace_id = ${workspaceId} and import_id = ${importId} and stopped_through >= ${epoch}) as is_stopped`),
  )
  await locked()
  return !found!.is_stopped
}
