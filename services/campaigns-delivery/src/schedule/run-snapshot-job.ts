import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { campaignChanged, requireCurrentDraft } from '../drafts/current-draft.ts'
import { buildSnapshot } from './build-snapshot.ts'
import { requireConditions } from './schedule-facts.ts'
import { scheduleRun } from './schedule-run.ts'
import { afterFailure, attemptsMax, failureOf } from './snapshot-failure.ts'
import {
  deleteRecipients,
  failSnapshot,
  releaseSnapshot,
  LeaseLost,
  renewLease,
  type LeasedSnapshotJob,
} from './snapshot-job.entity.ts'

/** The result of one attempt. `lost`: another worker has the snapshot now. */
export type SnapshotResult = 'scheduled' | 'refused' | 'failed' | 'postponed' | 'stopped' | 'lost'

const renewEveryMs = 5_000

/**
 * Builds one snapshot while its lease is held. The run is scheduled completely, or the snapshot is postponed, or it fails
 * and only the failure is kept. Each attempt starts from nothing.
 */
export async function runSnapshotJob(ctx: Ctx, job: LeasedSnapshotJob, stop: AbortController): Promise<SnapshotResult> {
  const renewing = setInterval(() => void renew(ctx, job, stop), renewEveryMs)
  try {
    if (job.attempts > attemptsMax) throw tooManyAttempts()
    await deleteRecipients(ctx, job)
    const draft = await ctx.tx((em) => requireCurrentDraft(em, ctx.workspaceId, job.campaign_id), { isLong: true })
    if (draft.version !== job.draft_version) throw campaignChanged()
    await requireConditions(ctx, draft, { scheduledFor: new Date(job.scheduled_for), at: new Date(job.requested_at) })
    const counts = await buildSnapshot(ctx, job, draft)
    await ctx.tx((em) => scheduleRun(em, ctx, { job, draft, counts }), { isLong: true, statementTimeoutMs: 60_000 })
    return 'scheduled'
  } catch (error) {
    return await end(ctx, job, error)
  } finally {
    clearInterval(renewing)
  }
}

async function renew(ctx: Ctx, job: LeasedSnapshotJob, stop: AbortController): Promise<void> {
  try {
    if (!(await ctx.tx((em) => renewLease(em, job), { isLong: true }))) stop.abort()
  } catch (error) {
    ctx.log.warn({ err: error, run_id: job.run_id }, 'the lease of a snapshot could not be renewed now')
  }
}

async function end(ctx: Ctx, job: LeasedSnapshotJob, error: unknown): Promise<SnapshotResult> {
  const { run_id } = job
  if (error instanceof LeaseLost) {
    ctx.log.warn({ run_id }, 'another worker builds the snapshot now')
    return 'lost'
  }
  if (ctx.signal.aborted) {
    // A worker that stops does not count as a failed attempt.
    const isOurs = await ctx.tx((em) => releaseSnapshot(em, job, { retryInMs: 0, isAttempt: false }), { isLong: true })
    return isOurs ? 'stopped' : 'lost'
  }
  const next = afterFailure(error, job.attempts)
  if (next.kind === 'retry') {
    ctx.log.warn(
      { err: error, run_id, attempts: job.attempts },
      'a snapshot could not be built and will be tried again',
    )
    await ctx.tx((em) => releaseSnapshot(em, job, { retryInMs: next.inMs, isAttempt: true }), { isLong: true })
    return 'postponed'
  }
  await deleteRecipients(ctx, job)
  await ctx.tx(
    async (em) => {
      await failSnapshot(em, job, failureOf(error))
      if (next.kind === 'refuse') return
      await publish(em, AlertRaisedSchema, {
        code: 'snapshot_failed',
        severity: 'warning',
        summary:
          'The snapshot of a campaign could not be built, so the campaign was not scheduled. It is still a draft.',
        about: job.campaign_id,
        detail: { campaign_id: job.campaign_id, run_id, attempts: job.attempts },
      })
    },
    { isLong: true },
  )
  if (next.kind === 'refuse') return 'refused'
  ctx.log.error({ err: error, run_id, attempts: job.attempts }, 'a snapshot could not be built and has failed')
  return 'failed'
}

const tooManyAttempts = () =>
  new Fault(
    'unavailable',
    'snapshot_failed',
    'The list of recipients could not be built after several attempts, so nothing was scheduled. Send the request again; if that fails too, ask the operator of the platform.',
  )
