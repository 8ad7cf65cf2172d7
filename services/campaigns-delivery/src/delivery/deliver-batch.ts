import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf } from '@lettergate/database'
import { systemCaller, type CallScope } from '@lettergate/service'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { SendingRoute } from '../connections/connection-hold.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ReadinessChecks, ReadySender } from '../gates/run-readiness.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { failRun, holdRun } from '../runs/hold-run.ts'
import { batchOrigin, postponeBatch } from './batch-origin.ts'
import type { CallsUnderWay } from './calls-under-way.ts'
import { routeOf, type ConnectionLimits } from './claim.ts'
import type { BatchKey } from './hand-off.ts'
import { messagesFor, type SenderContent } from './message-content.ts'
import { readBatch, type PendingBatch } from './read-batch.ts'
import { sendMessages } from './send-messages.ts'
import { judgementsMax, requestVerdicts } from './verdicts.ts'

/** What the worker passes to each batch. */
export interface DeliveryDeps {
  ctxOf: (scope: CallScope) => Ctx
  readinessChecks: ReadinessChecks
  contentOf: (ctx: Ctx, contentVersionId: string, sender: SenderReadiness) => Promise<SenderContent>
  calls: CallsUnderWay
  limits: ConnectionLimits
}

/**
 * Delivers the pending recipients of one batch: check the run, request verdicts, commit the intent, hand over, store the
 * result. Recipients who cannot be sent to now stay pending and the batch is published again. A hand-off that may have
 * happened is never repeated. Calls `onCalling` when only the provider's answer is awaited.
 */
export async function deliverBatch(delivery: DeliveryDeps, key: BatchKey, onCalling: () => void): Promise<void> {
  const ctx = ctxOf(delivery, key.workspaceId, key.runId)
  for (let judgements = 1; judgements <= judgementsMax; judgements += 1) {
    if ((await deliverOnce(delivery, ctx, { key, onCalling })) === 'done') return
    if (judgements < judgementsMax) ctx.metrics.rejudged.inc()
  }
  await postpone(ctx, key, 'verdicts_late')
}

/** `outdated`: the verdicts expired before the intent, so nothing was stored and every step must be repeated. */
type Delivered = 'done' | 'outdated'

async function deliverOnce(
  delivery: DeliveryDeps,
  asking: Ctx,
  { key, onCalling }: Pick<BatchWork, 'key' | 'onCalling'>,
): Promise<Delivered> {
  const readAt = performance.now()
  const work = await asking.tx((em) => readBatch(em, key))
  if (!work) return 'done'
  const ctx = ctxOf(delivery, key.workspaceId, work.run.correlation_id)
  const attributes = { 'lettergate.run.id': key.runId, 'lettergate.batch': key.batch }
  return traced('deliver batch', { kind: SpanKind.CONSUMER, parent: work.run.trace, attributes }, () =>
    admit(delivery, ctx, { key, work, readAt, onCalling }),
  )
}

const ctxOf = ({ ctxOf: make }: DeliveryDeps, workspaceId: string, correlationId: string): Ctx =>
  make({
    caller: { ...systemCaller('deliver', correlationId), workspaceId },
    deadline: Infinity,
    signal: new AbortController().signal,
  })

interface BatchWork {
  key: BatchKey
  work: PendingBatch
  /** performance.now() before the batch was read */
  readAt: number
  onCalling: () => void
}

/** Step 1: checks that the run may send now and that another call is allowed. */
async function admit(delivery: DeliveryDeps, ctx: Ctx, batch: BatchWork): Promise<Delivered> {
  const { key, work } = batch
  const { workspaceId, runId } = key
  const readiness = await delivery.readinessChecks.check(ctx, work.run.sender_identity_id)
  if (readiness.kind !== 'ready') {
    await ctx.tx((em) =>
      readiness.kind === 'held'
        ? holdRun(em, workspaceId, runId, readiness.by)
        : failRun(em, workspaceId, runId, readiness.reason),
    )
    return 'done'
  }
  const route = routeOf(workspaceId, readiness.sender)
  await recordRoute(ctx, work, runId, route)
  if (work.calls >= delivery.limits.atOnce) return postpone(ctx, key, 'connection_full')
  const leave = delivery.calls.enter(workspaceId, route.connectionId)
  if (!leave) return postpone(ctx, key, 'worker_full')
  try {
    return await deliver(delivery, ctx, batch, readiness)
  } finally {
    leave()
  }
}

/** Stores the route that the run used last. The publisher checks the cooldown and the calls of that connection. */
async function recordRoute(ctx: Ctx, { run }: PendingBatch, runId: string, route: SendingRoute): Promise<void> {
  const { workspaceId, connectionId, domainName } = route
  if (run.connection_id === connectionId && run.domain_name === domainName) return
  await ctx.tx((em) =>
    kyselyOf(em, CampaignRun)
      .updateTable('campaign_runs')
      .set({ connection_id: connectionId, domain_name: domainName })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', runId)
      .where((eb) =>
        eb.or([
          eb('connection_id', 'is distinct from', connectionId),
          eb('domain_name', 'is distinct from', domainName),
        ]),
      )
      .execute(),
  )
}

async function postpone(
  ctx: Ctx,
  key: BatchKey,
  why: 'connection_full' | 'worker_full' | 'verdicts_late',
): Promise<'done'> {
  ctx.metrics.postponed.inc({ why })
  await ctx.tx((em) => postponeBatch(em, key))
  return 'done'
}

/** Steps 2 to 5: requests verdicts, commits the intent, hands over, and stores the results. */
async function deliver(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { key, work, readAt, onCalling }: BatchWork,
  ready: ReadySender,
): Promise<Delivered> {
  const content = await delivery.contentOf(ctx, work.run.content_version_id, ready.sender)
  const { verdicts, links } = await requestVerdicts(
    ctx,
    work.recipients.map(({ contact_id: contactId, audience_id: audienceId }) => ({ contactId, audienceId })),
    content.tokens,
  )
  const recipients = work.recipients.map(({ id, contact_id: contactId, audience_id: audienceId }, index) => {
    const prepared = verdicts[index]!
    const { minimumIntervalSeconds } = prepared
    return { message: { id, contactId, audienceId, minimumIntervalSeconds }, prepared }
  })
  const prepared = {
    ...messagesFor(recipients, content.compiled),
    ...ready,
    form: content.formWith(links),
    judged: { databaseTime: work.judgedAt, ms: readAt },
  }
  const sent = await sendMessages(ctx, batchOrigin(key, delivery.limits), prepared, onCalling)
  if (sent.kind === 'outdated') return 'outdated'
  if (sent.kind === 'postponed') ctx.metrics.postponed.inc({ why: sent.why })
  if (sent.kind === 'claimed' && !sent.isWhole)
    await ctx.tx((em) => postponeBatch(em, key, sent.handOffs.length > 0 ? 0 : undefined))
  return 'done'
}
