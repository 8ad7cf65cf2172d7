import { defineEntity, p } from '@mikro-orm/core'
import { execute, row, sql, type Em } from '@lettergate/database'
import type { Carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { SnapshotFailure } from './snapshot-failure.ts'

export const SnapshotJobs = defineEntity({
  name: 'SnapshotJob',
  tableName: 'snapshot_jobs',
  properties: {
    workspaceId: p.uuid().primary(),
    runId: p.uuid().primary(),
    draftVersion: p.integer(),
    batchSize: p.integer(),
    requestedAt: p.datetime(),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(),
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime().nullable(),
    failure: p.json<SnapshotFailure>().nullable(),
    failedAt: p.datetime().nullable(),
  },
})

/** A snapshot that this worker builds while its row holds `lease_id`. */
export interface SnapshotJob {
  workspace_id: string
  run_id: string
  draft_version: number
  batch_size: number
  requested_at: string
  /** including this one */
  attempts: number
  lease_id: string
  campaign_id: string
  scheduled_for: string
  scheduled_by: string
  correlation_id: string
  trace: Carrier
}

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
  await execute(
    em,
    sql`insert into snapshot_jobs (workspace_id, run_id, draft_version, batch_size, requested_at)
        values (${job.workspaceId}, ${job.runId}, ${job.draftVersion}, ${job.batchSize}, ${job.requestedAt})`,
  )
}

/**
 * Takes the next snapshot if the limits over all workers and of its workspace allow one more. Prefers workspaces with the
 * fewest snapshots under way, then the oldest request. Workers take one after the other, so that the limits hold. The row
 * lock of the run waits for inserts under an older lease.
 */
export async function takeSnapshot(
  em: Em,
  { atOnce, perWorkspace }: { atOnce: number; perWorkspace: number },
): Promise<SnapshotJob | undefined> {
  const waiting = await row(
    em,
    sql`select 1 from snapshot_jobs where failed_at is null and next_attempt_at <= now() and coalesce(leased_until <= now(), true) limit 1`,
  )
  if (!waiting) return undefined
  const mayTake = await row<{ locked: boolean }>(
    em,
    sql`select pg_try_advisory_xact_lock(hashtext('lettergate take snapshot')) as locked`,
  )
  if (!mayTake?.locked) return undefined
  return row<SnapshotJob>(
    em,
    sql`with open as (
          select workspace_id, run_id, next_attempt_at <= now() as is_due, coalesce(leased_until > now(), false) as is_under_way
            from snapshot_jobs where failed_at is null),
        next as (
          select r.workspace_id, r.id as run_id, r.campaign_id, r.scheduled_for, r.scheduled_by, r.correlation_id, r.trace from open o
            cross join lateral (select count(*) as count from open u where u.workspace_id = o.workspace_id and u.is_under_way) under_way
            join campaign_runs r on r.workspace_id = o.workspace_id and r.id = o.run_id
           where o.is_due and not o.is_under_way and under_way.count < ${perWorkspace}
             and (select count(*) from open u where u.is_under_way) < ${atOnce}
           order by under_way.count, o.run_id limit 1 for update of r skip locked)
        update snapshot_jobs j set lease_id = gen_random_uuid(), leased_until = now() + ${leaseSeconds} * interval '1 second', attempts = j.attempts + 1
          from next
         where j.workspace_id = next.workspace_id and j.run_id = next.run_id and coalesce(j.leased_until <= now(), true)
        returning j.*, next.campaign_id, next.scheduled_for, next.scheduled_by, next.correlation_id, next.trace`,
  )
}

const isOurs = ({ workspace_id, run_id, lease_id }: SnapshotJob) =>
  sql`workspace_id = ${workspace_id} and run_id = ${run_id} and lease_id = ${lease_id}`

/** Returns whether the lease is still held. */
export const renewLease = async (em: Em, job: SnapshotJob): Promise<boolean> =>
  (await execute(
    em,
    sql`update snapshot_jobs set leased_until = now() + ${leaseSeconds} * interval '1 second' where ${isOurs(job)}`,
  )) > 0

/** Locks the lease for this transaction, shared with other inserts. Throws LeaseLost when another worker holds it. */
export async function lockLease(em: Em, job: SnapshotJob): Promise<void> {
  const { workspace_id, run_id } = job
  await row(em, sql`select 1 from campaign_runs where workspace_id = ${workspace_id} and id = ${run_id} for share`)
  // This must be a separate statement, so that it reads a row newer than the lock.
  if (!(await row(em, sql`select 1 from snapshot_jobs where ${isOurs(job)}`))) throw new LeaseLost(run_id)
}

/** Deletes the job in the transaction that stores its result. */
export async function endLease(em: Em, job: SnapshotJob): Promise<void> {
  await lockRun(em, job)
  if ((await execute(em, sql`delete from snapshot_jobs where ${isOurs(job)}`)) === 0) throw new LeaseLost(job.run_id)
}

/** Taken before all other locks, as in `takeSnapshot`, to prevent deadlocks. */
const lockRun = (em: Em, { workspace_id, run_id }: SnapshotJob) =>
  row(em, sql`select 1 from campaign_runs where workspace_id = ${workspace_id} and id = ${run_id} for update`)

/** Releases the lease so that any worker may retry. Returns whether it was still held. */
export const releaseSnapshot = async (
  em: Em,
  job: SnapshotJob,
  { retryInMs, isAttempt }: { retryInMs: number; isAttempt: boolean },
): Promise<boolean> =>
  (await execute(
    em,
    sql`update snapshot_jobs set lease_id = null, leased_until = null, next_attempt_at = now() + ${retryInMs} * interval '1 ms',
               attempts = attempts - ${isAttempt ? 0 : 1}
         where ${isOurs(job)}`,
  )) > 0

/** Deletes the recipients that an attempt has inserted so far, in bounded steps. */
export async function deleteRecipients(ctx: Ctx, job: SnapshotJob): Promise<void> {
  const { workspace_id: workspaceId, run_id: runId } = job
  const some = sql`select id from run_recipients where workspace_id = ${workspaceId} and run_id = ${runId} limit ${recipientsAtOnce}`
  const step = () =>
    ctx.tx(
      async (em) => {
        await lockLease(em, job)
        return execute(em, sql`delete from run_recipients where workspace_id = ${workspaceId} and id in (${some})`)
      },
      { isLong: true, statementTimeoutMs: 30_000 },
    )
  while ((await step()) === recipientsAtOnce);
}

/** Deletes the run and its key, so that the request can be repeated. The failure is kept for the waiting caller. */
export async function failSnapshot(em: Em, job: SnapshotJob, failure: SnapshotFailure): Promise<void> {
  const { workspace_id: workspaceId, run_id: runId } = job
  await lockRun(em, job)
  const failed = await execute(
    em,
    sql`update snapshot_jobs set failure = ${JSON.stringify(failure)}::jsonb, failed_at = now(), lease_id = null, leased_until = null where ${isOurs(job)}`,
  )
  if (failed === 0) throw new LeaseLost(runId)
  await execute(em, sql`delete from idempotency_keys where workspace_id = ${workspaceId} and resource_id = ${runId}`)
  await execute(
    em,
    sql`delete from campaign_runs where workspace_id = ${workspaceId} and id = ${runId} and state = 'building'`,
  )
}

/** The state of a requested snapshot. `gone`: the run and its failure were deleted. */
export type SnapshotState =
  { kind: 'building' } | { kind: 'scheduled' } | { kind: 'failed'; failure: SnapshotFailure } | { kind: 'gone' }

export async function readSnapshotState(em: Em, workspaceId: string, runId: string): Promise<SnapshotState> {
  const found = await row<{ state: string | null; failure: SnapshotFailure | null }>(
    em,
    sql`select (select state from campaign_runs where workspace_id = ${workspaceId} and id = ${runId}) as state,
               (select failure from snapshot_jobs where workspace_id = ${workspaceId} and run_id = ${runId}) as failure`,
  )
  const { state = null, failure = null } = found ?? {}
  if (failure !== null) return { kind: 'failed', failure }
  if (state === null) return { kind: 'gone' }
  return { kind: state === 'building' ? 'building' : 'scheduled' }
}

/** Longer than any caller waits. */
const failureKeptHours = 1

export const purgeSnapshotFailures = (em: Em): Promise<number> =>
  execute(em, sql`delete from snapshot_jobs where failed_at < now() - ${failureKeptHours} * interval '1 hour'`)
