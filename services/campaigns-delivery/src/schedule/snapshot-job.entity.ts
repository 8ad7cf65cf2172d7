import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, kyselyOf, listOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { IdempotencyKey } from '../idempotency/idempotency-key.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { RunRecipient } from '../runs/run-recipient.entity.ts'
import type { SnapshotFailure } from './snapshot-failure.ts'

export const SnapshotJob = defineEntity({
  name: 'SnapshotJob',
  tableName: 'snapshot_jobs',
  properties: {
    workspaceId: p.uuid().primary(),
    runId: p.uuid().primary(),
    draftVersion: p.integer(),
    batchSize: p.integer(),
    requestedAt: p.datetime(),
    attempts: p.integer().default(0),
    nextAttemptAt: p.datetime().defaultRaw('now()'),
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime().nullable(),
    failure: p.json<SnapshotFailure>().nullable(),
    failedAt: p.datetime().nullable(),
  },
})

const columnsOfJob = {
  ...columns(SnapshotJob, 'workspace_id', 'run_id', 'draft_version', 'batch_size', 'requested_at', 'attempts'),
  lease_id: column.uuid(),
}
const columnsOfRun = columns(CampaignRun, 'campaign_id', 'scheduled_for', 'scheduled_by', 'correlation_id', 'trace')
const leasedColumns = { ...columnsOfJob, ...columnsOfRun }

/** A snapshot that this worker builds while its row holds `lease_id`. `attempts` includes this one. */
export type LeasedSnapshotJob = RowOf<typeof leasedColumns>

/** Another worker holds the lease. This worker must not write. */
export class LeaseLost extends Error {
  constructor(runId: string) {
    super(`the lease of the snapshot of run ${runId} is lost`)
    this.name = 'LeaseLost'
  }
}

/** How long a snapshot of a dead worker waits. Leases are renewed every few seconds. */
const leaseSeconds = 30
const recipientsAtOnce = 20_000

/** Requests the snapshot of a run in state `building`, in the transaction that inserts the run. */
export async function requestSnapshot(
  em: Em,
  job: { workspaceId: string; runId: string; draftVersion: number; batchSize: number; requestedAt: Date },
): Promise<void> {
  await em.insert(SnapshotJob, job)
}

const selectDue = statement('select-due-snapshot', columns(SnapshotJob, 'run_id'))
const lockTaking = statement('lock-taking-of-snapshots', { locked: column.boolean() })
const takeNext = statement('take-snapshot', leasedColumns)

/**
 * Takes the next snapshot if the limits over all workers and of its workspace allow one more. Prefers workspaces with the
 * fewest snapshots under way, then the oldest request. Workers take one after the other, so that the limits hold. The row
 * lock of the run waits for inserts under an older lease.
 */
export async function takeSnapshot(
  em: Em,
  { atOnce, perWorkspace }: { atOnce: number; perWorkspace: number },
): Promise<LeasedSnapshotJob | undefined> {
  const waiting = await selectDue.row(
    em,
    sql`select run_id from snapshot_jobs where failed_at is null and next_attempt_at <= now() and coalesce(leased_until <= now(), true) limit 1`,
  )
  if (!waiting) return undefined
  const mayTake = await lockTaking.row(
    em,
    sql`select pg_try_advisory_xact_lock(hashtext('lettergate take snapshot')) as locked`,
  )
  if (!mayTake?.locked) return undefined
  return takeNext.row(
    em,
    sql`with open as (
          select workspace_id, run_id, next_attempt_at <= now() as is_due, coalesce(leased_until > now(), false) as is_under_way
            from snapshot_jobs where failed_at is null),
        next as (
          select r.workspace_id, r.id as run_id, ${listOf(columnsOfRun, 'r')} from open o
            cross join lateral (select count(*) as count from open u where u.workspace_id = o.workspace_id and u.is_under_way) under_way
            join campaign_runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
           where o.is_due and not o.is_under_way and under_way.count < ${perWorkspace}
             and (select count(*) from open u where u.is_under_way) < ${atOnce}
           order by under_way.count, o.run_id limit 1 for update of r skip locked)
        update snapshot_jobs j set lease_id = gen_random_uuid(), leased_until = now() + ${leaseSeconds} * interval '1 second', attempts = j.attempts + 1
          from next
         where j.workspace_id = next.workspace_id and j.run_id = next.run_id and coalesce(j.leased_until <= now(), true)
        returning ${listOf(columnsOfJob, 'j')}, ${listOf(columnsOfRun, 'next')}`,
  )
}

/** Equals the row of the job while the lease is held. */
const held = (job: LeasedSnapshotJob) => ({ workspaceId: job.workspace_id, runId: job.run_id, leaseId: job.lease_id })

const updateHeld = (em: Em, job: LeasedSnapshotJob) =>
  kyselyOf(em, SnapshotJob)
    .updateTable('snapshot_jobs')
    .where('workspace_id', '=', job.workspace_id)
    .where('run_id', '=', job.run_id)
    .where('lease_id', '=', job.lease_id)

/** Returns whether the lease is still held. */
export async function renewLease(em: Em, job: LeasedSnapshotJob): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(em, job)
    .set({ leased_until: sql<string>`now() + ${leaseSeconds} * interval '1 second'` })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

const selectRun = (em: Em, { workspace_id, run_id }: LeasedSnapshotJob) =>
  kyselyOf(em, CampaignRun)
    .selectFrom('campaign_runs')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', run_id)

/** Locks the lease for this transaction, shared with other inserts. Throws LeaseLost when another worker holds it. */
export async function lockLease(em: Em, job: LeasedSnapshotJob): Promise<void> {
  await selectRun(em, job).forShare().execute()
  // This must be a separate statement, so that it reads a row newer than the lock.
  if ((await em.count(SnapshotJob, held(job))) === 0) throw new LeaseLost(job.run_id)
}

/** Deletes the job in the transaction that stores its result. */
export async function endLease(em: Em, job: LeasedSnapshotJob): Promise<void> {
  await lockRun(em, job)
  if ((await em.nativeDelete(SnapshotJob, held(job))) === 0) throw new LeaseLost(job.run_id)
}

/** Taken before all other locks, as in `takeSnapshot`, to prevent deadlocks. */
const lockRun = (em: Em, job: LeasedSnapshotJob) => selectRun(em, job).forUpdate().execute()

/** Releases the lease so that any worker may retry. Returns whether it was still held. */
export async function releaseSnapshot(
  em: Em,
  job: LeasedSnapshotJob,
  { retryInMs, isAttempt }: { retryInMs: number; isAttempt: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await updateHeld(em, job)
    .set((eb) => ({
      lease_id: null,
      leased_until: null,
      next_attempt_at: sql<string>`now() + ${retryInMs} * interval '1 ms'`,
      attempts: eb('attempts', '-', isAttempt ? 0 : 1),
    }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the recipients that an attempt has inserted so far, in bounded steps. */
export async function deleteRecipients(ctx: Ctx, job: LeasedSnapshotJob): Promise<void> {
  const { workspace_id: workspaceId, run_id: runId } = job
  const step = () =>
    ctx.tx(
      async (em) => {
        await lockLease(em, job)
        const recipients = kyselyOf(em, RunRecipient)
        const some = recipients
          .selectFrom('run_recipients')
          .select('id')
          .where('workspace_id', '=', workspaceId)
          .where('run_id', '=', runId)
          .limit(recipientsAtOnce)
        const { numDeletedRows } = await recipients
          .deleteFrom('run_recipients')
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', some)
          .executeTakeFirst()
        return Number(numDeletedRows)
      },
      { isLong: true, statementTimeoutMs: 30_000 },
    )
  while ((await step()) === recipientsAtOnce);
}

/** Deletes the run and its key, so that the request can be repeated. The failure is kept for the waiting caller. */
export async function failSnapshot(em: Em, job: LeasedSnapshotJob, failure: SnapshotFailure): Promise<void> {
  const { workspace_id: workspaceId, run_id: runId } = job
  await lockRun(em, job)
  const { numUpdatedRows } = await updateHeld(em, job)
    .set({ failure, failed_at: sql<string>`now()`, lease_id: null, leased_until: null })
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLost(runId)
  await em.nativeDelete(IdempotencyKey, { workspaceId, resourceId: runId })
  await em.nativeDelete(CampaignRun, { workspaceId, id: runId, state: 'building' })
}

/** The state of a requested snapshot. `gone`: the run and its failure were deleted. */
export type SnapshotState =
  { kind: 'building' } | { kind: 'scheduled' } | { kind: 'failed'; failure: SnapshotFailure } | { kind: 'gone' }

export async function readSnapshotState(em: Em, workspaceId: string, runId: string): Promise<SnapshotState> {
  const { state, failure } = await kyselyOf(em, CampaignRun, SnapshotJob)
    .selectNoFrom((eb) => [
      eb
        .selectFrom('campaign_runs')
        .select('state')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', runId)
        .as('state'),
      eb
        .selectFrom('snapshot_jobs')
        .select('failure')
        .where('workspace_id', '=', workspaceId)
        .where('run_id', '=', runId)
        .as('failure'),
    ])
    .executeTakeFirstOrThrow()
  if (failure !== null) return { kind: 'failed', failure }
  if (state === null) return { kind: 'gone' }
  return { kind: state === 'building' ? 'building' : 'scheduled' }
}

/** Longer than any caller waits. */
const failureKeptHours = 1

const deleteOldFailures = statement('delete-old-snapshot-failures')

export const purgeSnapshotFailures = (em: Em): Promise<number> =>
  deleteOldFailures.execute(
    em,
    sql`delete from snapshot_jobs where failed_at < now() - ${failureKeptHours} * interval '1 hour'`,
  )
