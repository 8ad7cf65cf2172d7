import { column, columns, kyselyOf, lastRead, listOf, sql, statement, type Em } from '@lettergate/database'
import { ImportJob, type ImportJobRow, type ImportProgress } from '../jobs/import-job.entity.ts'

/** An import that this worker runs while its row has this epoch. */
export type LeasedImport = Pick<ImportJobRow, 'workspace_id' | 'id' | 'epoch'>

/** Another worker has the import, or somebody cancelled it, mapped it again, or let it expire. This worker must stop. */
export class ImportLost extends Error {
  constructor(jobId: string) {
    super(`the lease of import ${jobId} is lost`)
    this.name = 'ImportLost'
  }
}

const waitingJob = `sealed_key is not null and start_after <= now() and expires_at > now()
  and (status in ('dry_run_queued', 'apply_queued') or (status in ('dry_run_running', 'applying') and coalesce(lease_until <= now(), true)))`

const selectWaiting = statement('select-whether-imports-wait', { is_waiting: column.boolean() })
const lockTaking = statement('lock-taking-of-imports', { locked: column.boolean() })
const leasedColumns = columns(ImportJob, 'workspace_id', 'id')
const takeNext = statement('take-import', leasedColumns)

/** Whether an import waits for a worker. The last statement of its transaction, because an idle worker asks all the time. */
export async function isAnyImportWaiting(em: Em): Promise<boolean> {
  const found = await selectWaiting.row(
    em,
    lastRead(sql`select exists (select from import_jobs where ${sql.raw(waitingJob)}) as is_waiting`),
  )
  return found!.is_waiting
}

/**
 * Takes the oldest waiting import of a workspace in which no other one runs. The lease of a lost worker ends by itself, and
 * another one begins then. Workers take one after the other, so that a workspace has one import at a time.
 */
export async function takeImport(
  em: Em,
  { holder, leaseSeconds }: { holder: string; leaseSeconds: number },
): Promise<ImportJobRow | undefined> {
  const mayTake = await lockTaking.row(
    em,
    sql`select pg_try_advisory_xact_lock(hashtext('lettergate take import')) as locked`,
  )
  if (!mayTake?.locked) return undefined
  const taken = await takeNext.row(
    em,
    sql`with open as (select * from import_jobs where sealed_key is not null),
        next as (
          select workspace_id, id from open j
           where ${sql.raw(waitingJob)}
             and not exists (select from open o where o.workspace_id = j.workspace_id and o.id <> j.id and o.lease_until > now())
           order by id limit 1)
        update import_jobs j
           set status = case j.status when 'dry_run_queued' then 'dry_run_running' when 'apply_queued' then 'applying' else j.status end,
               epoch = j.epoch + 1, attempt_count = j.attempt_count + 1, starts = j.starts + 1,
               lease_holder = ${holder}, lease_until = now() + ${leaseSeconds} * interval '1 second', error = null
          from next
         where j.workspace_id = next.workspace_id and j.id = next.id and ${sql.raw(waitingJob.replaceAll(/\b(sealed_key|start_after|expires_at|status|lease_until)\b/g, 'j.$1'))}
        returning ${listOf(leasedColumns, 'j')}`,
  )
  if (!taken) return undefined
  return kyselyOf(em, ImportJob)
    .selectFrom('import_jobs')
    .selectAll()
    .where('workspace_id', '=', taken.workspace_id)
    .where('id', '=', taken.id)
    .executeTakeFirst()
}

const updateHeld = (em: Em, { workspace_id, id, epoch }: LeasedImport) =>
  kyselyOf(em, ImportJob)
    .updateTable('import_jobs')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('epoch', '=', epoch)

const leaseUntil = (seconds: number) => sql<string>`now() + ${seconds} * interval '1 second'`

/** Returns whether the import is still this worker's. */
export async function renewLease(em: Em, job: LeasedImport, leaseSeconds: number): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(em, job)
    .set({ lease_until: leaseUntil(leaseSeconds) })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** How far an import is. The rows through a mark need not be read again after a restart. */
export interface Checkpoint {
  progress: ImportProgress
  suppressions_applied_through?: number
  rows_applied_through?: number
}

/** Stores how far the import is. Throws ImportLost if this worker must stop. */
export async function storeCheckpoint(em: Em, job: LeasedImport, { progress, ...marks }: Checkpoint): Promise<void> {
  const hasMark = Object.keys(marks).length > 0
  const { numUpdatedRows } = await updateHeld(em, job)
    .set({ ...marks, ...(hasMark ? { starts: 1 } : {}), progress: JSON.stringify(progress) as never })
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new ImportLost(job.id)
}

/** How often workers started on the import since its last progress; undefined if it is not this worker's any more. */
export async function readStarts(em: Em, { workspace_id, id, epoch }: LeasedImport): Promise<number | undefined> {
  const found = await kyselyOf(em, ImportJob)
    .selectFrom('import_jobs')
    .select('starts')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .executeTakeFirst()
  return found?.starts
}

/** Lets any worker take the import again. A worker that stops does not count as a failed start. */
export async function releaseImport(
  em: Em,
  job: LeasedImport,
  { retryInMs, isStart }: { retryInMs: number; isStart: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(em, job)
    .set((eb) => ({
      lease_holder: null,
      lease_until: null,
      start_after: sql<string>`now() + ${retryInMs} * interval '1 ms'`,
      starts: eb('starts', '-', isStart ? 0 : 1),
    }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
