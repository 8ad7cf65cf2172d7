import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Ctx } from '../ctx.ts'
import type { ImportJobRow, ImportProgress } from '../jobs/import-job.entity.ts'
import { compileMapping, type MappedRow, type UnusableRow } from '../mapping/compile-mapping.ts'
import { readPayload } from '../payload/read-payload.ts'
import { isRefusal } from '../mapping/import-policy.ts'
import type { RowProblem } from '../reading/file-format.ts'
import { readRecords, type FileRecord, type RecordBatch } from '../reading/read-records.ts'
import { raggedRow } from './ragged-row.ts'
import { storeCheckpoint, type Checkpoint } from './import-lease.ts'

/** One import in the hands of a worker. */
export interface ImportRun {
  readonly ctx: Ctx
  readonly job: ImportJobRow
  readonly rowsDone: (phase: string, rows: number) => void
}

const mayBeInWrongColumns: ReadonlySet<RowProblem> = new Set([
  'too_few_cells',
  'too_many_cells',
  'malformed_quotes',
  'unclosed_quote',
  'row_too_long',
])

/**
 * The targets of the values of rows, a new reading of the whole file, and what a record means: a mapped row, or the reason why
 * it cannot be used, with its address if it has one. Records are mapped one by one, so that mapped rows need no memory. A refusal
 * counts, also in a row of which other cells cannot be used.
 */
export function openFile({ ctx, job }: ImportRun) {
  const { targets, mapRow } = compileMapping(job)
  async function* read(): AsyncGenerator<RecordBatch> {
    for await (const batch of readRecords(readPayload(ctx, job), job)) {
      ctx.signal.throwIfAborted()
      yield batch
      // A large request leaves in several turns of the event loop. Without them it would wait until rows of another batch are read.
      await nextTurn()
    }
  }
  const rowOf = (record: FileRecord): MappedRow | UnusableRow | string => {
    if (typeof record === 'string') return record
    if (!('problem' in record)) return mapRow(record)
    const { problem, cells, damagedColumns } = record
    if (mayBeInWrongColumns.has(problem)) return raggedRow(record, job.headers.length, mapRow)
    const mapped = mapRow(cells, damagedColumns)
    if (typeof mapped === 'string') return problem
    return isRefusal(mapped.status) ? mapped : { problem, address: mapped.address, status: mapped.status }
  }
  return { targets, read, rowOf }
}

/** Stores how far the import is. Throws ImportLost when another worker has it, or somebody cancelled or changed it. */
export const checkpoint = ({ ctx, job }: ImportRun, reached: Checkpoint): Promise<void> =>
  ctx.tx((em) => storeCheckpoint(em, job, reached))

const everyMs = 1_000

/** Stores the progress at most once a second. */
export function progressWriter(run: ImportRun): (progress: ImportProgress) => Promise<void> {
  let storedAt = 0
  return async (progress) => {
    if (performance.now() - storedAt < everyMs) return
    storedAt = performance.now()
    await checkpoint(run, { progress })
  }
}
