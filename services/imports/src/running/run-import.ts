import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { sha256Of } from '@lettergate/canonical-json'
import type { JsonObject } from '@bufbuild/protobuf'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { changeJob, type JobChanges } from '../jobs/change-job.ts'
import type { ImportError } from '../jobs/import-job.entity.ts'
import type { ImportAction } from '../jobs/import-status.ts'
import { mappingChecksum } from '../mapping/mapping-profile.entity.ts'
import { alertReconciliation } from './alert-reconciliation.ts'
import { applyImport } from './apply.ts'
import { dryRun } from './dry-run.ts'
import { GateOpen } from './closed-gates.ts'
import { ImportLost, readStarts, releaseImport, renewLease } from './import-lease.ts'
import type { ImportRun } from './import-run.ts'
import { isOutage } from './patient-call.ts'
import { readerVersion } from './reader-version.ts'
import { reconcile } from './reconcile.ts'

/** The result of one start on an import. `lost`: it was cancelled, mapped again, expired or taken by another worker. */
export type RunResult = 'reviewable' | 'completed' | 'failed' | 'postponed' | 'stopped' | 'lost'

/** A worker that starts on an import this often without progress gives it up. */
const startsMax = 10

/** Does the dry run or the apply of one import while its lease is held. */
export async function runImport(run: ImportRun, stop: AbortController): Promise<RunResult> {
  const { ctx, job } = run
  const leaseSeconds = ctx.config.importLeaseSeconds
  const renewing = setInterval(() => void renew(run, stop), (leaseSeconds * 1_000) / 6)
  try {
    if (job.starts > startsMax) throw startedTooOften()
    return job.status === 'applying' ? await applyAndReconcile(run) : await evaluate(run)
  } catch (error) {
    return await end(run, error)
  } finally {
    clearInterval(renewing)
  }
}

async function renew({ ctx, job }: ImportRun, stop: AbortController): Promise<void> {
  try {
    if (!(await ctx.tx((em) => renewLease(em, job, ctx.config.importLeaseSeconds)))) stop.abort(new ImportLost(job.id))
  } catch (error) {
    ctx.log.warn({ err: error, import_id: job.id }, 'the lease of an import could not be renewed now')
  }
}

async function evaluate(run: ImportRun): Promise<RunResult> {
  const { mapping, policy, consent_policy } = run.job
  // Who approves the checksum of the report approves this mapping too, and no other with the same counts.
  const evaluated = { consent_policy, mapping_checksum: mappingChecksum(mapping, policy) }
  const report = { ...(await dryRun(run)), ...evaluated }
  await finish(run, 'report', {
    report,
    report_checksum: sha256Of(report),
    reader_version: readerVersion,
  })
  return 'reviewable'
}

async function applyAndReconcile(run: ImportRun): Promise<RunResult> {
  const { ctx, job } = run
  const rowsApplied = await applyImport(run)
  const { applied, reconciliation, faults } = await reconcile(ctx, job, rowsApplied)
  if (!reconciliation.matches)
    ctx.log.info({ import_id: job.id, ...reconciliation }, 'data changed between the report of an import and its end')
  const report = { ...job.report, applied, reconciliation }
  await finish(run, 'complete', { report, completed_at: ctx.now().toISOString() }, async (em) => {
    await alertReconciliation(em, job, faults)
    await publish(em, AuditRecordedSchema, {
      action: 'import_completed',
      subjectType: 'import',
      subjectId: job.id,
      actor: ctx.caller.actor,
      detail: {
        applied: { ...applied },
        reconciliation_matches: reconciliation.matches,
        approved_by: job.approved_by_wallet_id,
      },
    })
  })
  return 'completed'
}

async function finish(
  { ctx, job }: ImportRun,
  action: ImportAction,
  changes: JobChanges,
  also: (em: Em) => Promise<void> = async () => undefined,
): Promise<void> {
  await ctx.tx(async (em) => {
    const changed = await changeJob(em, job, action, changes)
    if (!changed) throw new ImportLost(job.id)
    await also(em)
  })
}

async function end(run: ImportRun, error: unknown): Promise<RunResult> {
  const { ctx, job } = run
  const lost = () => {
    ctx.log.info({ import_id: job.id }, 'an import is not in the hands of this worker any more')
    return 'lost' as const
  }
  if (error instanceof ImportLost || ctx.signal.reason instanceof ImportLost) return lost()
  if (ctx.signal.aborted) {
    const isOurs = await ctx.tx((em) => releaseImport(em, job, { retryInMs: 0, isStart: false }))
    return isOurs ? 'stopped' : lost()
  }
  const starts = await ctx.tx((em) => readStarts(em, job))
  if (starts === undefined) return lost()
  if (isPermanent(error) || starts >= startsMax) return await fail(run, error)
  ctx.log.warn({ err: error, import_id: job.id, starts }, 'an import stopped and will be started again')
  const retryInMs = Math.min(60_000, 1_000 * 2 ** starts)
  return (await ctx.tx((em) => releaseImport(em, job, { retryInMs, isStart: true }))) ? 'postponed' : lost()
}

/** A refusal stays the same when it is repeated. An outage or a bug may be over at the next start. */
const isPermanent = (error: unknown) => error instanceof Fault && !isOutage(error)

async function fail(run: ImportRun, error: unknown): Promise<RunResult> {
  const { ctx, job } = run
  const failure = errorOf(error)
  ctx.log.warn({ err: error, import_id: job.id, reason: failure.reason }, 'an import failed')
  try {
    await finish(run, 'fail', { error: failure }, (em) =>
      publish(em, AuditRecordedSchema, {
        action: 'import_failed',
        subjectType: 'import',
        subjectId: job.id,
        actor: ctx.caller.actor,
        detail: { during: job.status === 'applying' ? 'apply' : 'dry_run', ...failure } as JsonObject,
      }),
    )
    return 'failed'
  } catch (lost) {
    if (lost instanceof ImportLost) return 'lost'
    throw lost
  }
}

function errorOf(error: unknown): ImportError {
  if (error instanceof GateOpen) return { reason: error.reason, message: error.message, gate: error.gate }
  if (error instanceof Fault && !isOutage(error)) return { reason: error.reason, message: error.message }
  return {
    reason: isOutage(error) ? 'service_unavailable' : 'internal_error',
    message:
      'The import stopped several times without progress. Retry it; if that fails too, ask the operator of the platform.',
  }
}

const startedTooOften = () =>
  new Fault(
    'failed_precondition',
    'worker_lost',
    'The workers that ran this import ended several times without progress. Retry it; if that fails too, ask the operator of the platform.',
  )
