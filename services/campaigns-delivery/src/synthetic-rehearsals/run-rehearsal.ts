import type { JsonObject } from '@bufbuild/protobuf'
import type { Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { gateState } from '../gates/gate-state.ts'
import { countRemainingRows } from './remaining-rows.ts'
import { readRecentRuns } from './recent-runs.ts'
import { completedReport, failedReport } from './rehearsal-report.ts'
import { requireSyntheticGate, syntheticGate } from './rehearsal-request.ts'
import { rehearseDelivery, type RehearsedRun } from './rehearse-delivery.ts'
import { newestContent, tokensOf } from './rehearsed-content.ts'
import { rehearsedWorker } from './rehearsed-worker.ts'
import { askForRecipients, type SyntheticRecipients } from './synthetic-recipients.ts'
import type { RehearsalEnd, TakenRehearsal } from './synthetic-rehearsal.entity.ts'

/** So that the smallest rehearsal has batches that crash and batches that do not. */
const batchesMin = 4

/**
 * Runs one rehearsal and answers how it ends. Nothing is under way in one transaction while the other runs, and both are rolled
 * back before anything is counted. Closing the gate ends the rehearsal between the two.
 */
export async function runRehearsal(
  ctx: Ctx,
  service: Pick<Service, 'log' | 'metrics'>,
  taken: TakenRehearsal,
): Promise<RehearsalEnd> {
  const began = performance.now()
  try {
    const { recipients, run, batchSize } = await rehearse(ctx, service, taken)
    const elapsedMilliseconds = Math.round(performance.now() - began)
    const remaining = await countRemainingRows(ctx, taken.id)
    const { included: eligible, excluded } = run.snapshot
    const isComplete = run.runState === 'completed' && run.sent === eligible && remaining === 0
    const report = completedReport({
      run,
      stages: [...recipients.stages, ...run.stages],
      batchSize,
      targetSeconds: taken.target_seconds,
      remaining,
      recentRuns: await ctx.tx((em) => readRecentRuns(em, ctx.workspaceId)),
    })
    return {
      state: isComplete && run.providerCalls === 0 && run.duplicateClaims === 0 ? 'completed' : 'failed',
      cleanupVerified: remaining === 0,
      report,
      counts: {
        providerCalls: run.providerCalls,
        elapsedMilliseconds,
        eligible,
        excluded,
        claimed: run.claimed,
        recovered: run.recovered,
        duplicateClaims: run.duplicateClaims,
      },
    }
  } catch (error) {
    ctx.log.warn({ err: error, synthetic_rehearsal_id: taken.id }, 'a synthetic rehearsal failed')
    return endOfFailed(ctx.withoutDeadline(), taken, failedReport(error))
  }
}

/** How a rehearsal ends that was not run to its end: after a look at what remains. */
export async function endOfFailed(ctx: Ctx, taken: TakenRehearsal, report: JsonObject): Promise<RehearsalEnd> {
  const remaining = await countRemainingRows(ctx, taken.id)
  return { state: 'failed', cleanupVerified: remaining === 0, report: { ...report, remaining_rows: remaining } }
}

async function rehearse(ctx: Ctx, service: Pick<Service, 'log' | 'metrics'>, taken: TakenRehearsal) {
  await requireGate(ctx)
  const content = await newestContent(ctx)
  const batchSize = Math.min(ctx.config.deliveryBatchSize, Math.floor(taken.recipient_count / batchesMin))
  const recipients: SyntheticRecipients = await askForRecipients(ctx, taken, { batchSize, tokens: tokensOf(content) })
  await requireGate(ctx)
  const run: RehearsedRun = await ctx.rolledBack(taken.id, (inside) =>
    rehearseDelivery({
      worker: rehearsedWorker(inside, recipients),
      service,
      content,
      audienceId: recipients.audienceId,
      batchSize,
    }),
  )
  return { recipients, run, batchSize }
}

async function requireGate(ctx: Ctx): Promise<void> {
  requireSyntheticGate(gateState(await ctx.identity.getGates(ctx, {}), syntheticGate))
}
