import { kyselyOf, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { deleteChunks } from '../payload/import-chunk.entity.ts'
import { ImportJob, type ImportJobRow } from './import-job.entity.ts'
import { isEnded, statusAfter, type ImportAction } from './import-status.ts'

/** The columns that an action may set besides the status. */
export type JobChanges = Partial<
  Omit<ImportJobRow, 'workspace_id' | 'id' | 'status' | 'epoch' | 'sealed_key' | 'created_at' | 'chunk_count'>
>

/** No worker has the job, so it makes no progress. */
const withoutWorker = { lease_holder: null, lease_until: null, progress: null } as const

/** The report is not valid any more, and neither is its approval. */
export const withoutReport = {
  report: {},
  report_checksum: null,
  approval_checksum: null,
  approved_by_wallet_id: null,
  suppressions_applied_through: 0,
  rows_applied_through: 0,
} as const

/** A queued job may be taken at once, whatever happened to earlier workers. */
const queued = () => ({ starts: 0, start_after: sql<string>`now()`, queued_at: sql<string>`now()` })

/** After these actions no batch that a worker sent before may be written. */
const stopping: ReadonlySet<ImportAction> = new Set(['cancel', 'expire', 'fail'])

/** Whether a worker may be applying the import, or a batch of it may be on its way. */
const mayBeApplied = ({ approval_checksum }: Pick<ImportJobRow, 'approval_checksum'>) => approval_checksum !== null

/**
 * Applies an action to a job that was read before, and answers the changed row. Undefined if the action is not possible in its
 * state, or if another transaction changed the job since. It ends the work of a worker on the job, which must stop then. An
 * import that ends loses its payload and its key here. `stop-imports` tells contacts-consent that its apply has ended.
 */
export async function changeJob(
  em: Em,
  job: Pick<ImportJobRow, 'workspace_id' | 'id' | 'status' | 'epoch' | 'approval_checksum'>,
  action: ImportAction,
  changes: JobChanges = {},
): Promise<ImportJobRow | undefined> {
  const status = statusAfter(job.status, action)
  if (status === undefined) return undefined
  const hasEnded = isEnded(status)
  const changed = await kyselyOf(em, ImportJob)
    .updateTable('import_jobs')
    .set({
      ...changes,
      ...withoutWorker,
      ...(hasEnded ? { sealed_key: null } : {}),
      ...(stopping.has(action) && mayBeApplied(job) ? { stop_epoch: job.epoch } : {}),
      ...(status === 'dry_run_queued' || status === 'apply_queued' ? queued() : {}),
      status,
      epoch: job.epoch + 1,
    })
    .where('workspace_id', '=', job.workspace_id)
    .where('id', '=', job.id)
    .where('epoch', '=', job.epoch)
    .returningAll()
    .executeTakeFirst()
  if (changed && hasEnded) await deleteChunks(em, changed)
  return changed
}

/** Throws Fault `failed_precondition` if the state of the job does not allow the action. */
export function requireAllowed(job: Pick<ImportJobRow, 'status'>, action: ImportAction, done: string): void {
  if (statusAfter(job.status, action) === undefined) throw notAllowed(job, done)
}

/** Throws Fault `failed_precondition` for an import whose time is over, also before the sweep expires it. */
export function requireInTime(
  { expires_at: expiresAt }: Pick<ImportJobRow, 'expires_at'>,
  now: Date,
  done: string,
): void {
  if (new Date(expiresAt) > now) return
  throw new Fault(
    'failed_precondition',
    'import_status',
    `This import has expired, so it cannot be ${done}. Upload the file again. Nothing was changed.`,
  )
}

const notAllowed = ({ status }: Pick<ImportJobRow, 'status'>, done: string) =>
  new Fault(
    'failed_precondition',
    'import_status',
    `This import is ${status.replaceAll('_', ' ')}, so it cannot be ${done}. Nothing was changed.`,
  )

/** The same for a job that this transaction has locked. Throws Fault `failed_precondition` if the state does not allow the action. */
export async function requireChange(
  em: Em,
  job: ImportJobRow,
  action: ImportAction,
  { done, changes }: { done: string; changes?: JobChanges },
): Promise<ImportJobRow> {
  const changed = await changeJob(em, job, action, changes)
  if (changed) return changed
  throw notAllowed(job, done)
}
