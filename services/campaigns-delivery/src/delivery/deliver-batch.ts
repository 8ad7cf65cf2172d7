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
import { sendMessages, type Judge, type JudgedMessages } from './send-messages.ts'
import { requestVerdicts } from './verdicts.ts'

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
  const read = await readNow(ctxOf(delivery, key.workspaceId, key.runId), key)
  if (!read) return
  const { run } = read.work
  const ctx = ctxOf(delivery, key.workspaceId, run.correlation_id)
  const attributes = { 'lettergate.run.id': key.runId, 'lettergate.batch': key.batch }
  await traced('deliver batch', { kind: SpanKind.CONSUMER, parent: run.trace, attributes }, async () => {
    const ready = await requireReady(delivery, ctx, key, read)
    if (ready) await admit(delivery, ctx, { key, read, ready, onCalling })
  })
}

const ctxOf = ({ ctxOf: make }: DeliveryDeps, workspaceId: string, correlationId: string): Ctx =>
  make({
    caller: { ...systemCaller('deliver', correlationId), workspaceId },
    deadline: Infinity,
    signal: new AbortController().signal,
  })

/** A batch, and performance.now() before it was read. */
interface ReadBatch {
  work: PendingBatch
  readAt: number
}

/** Undefined when the batch is done or its run is not being sent. */
async function readNow(ctx: Ctx, key: BatchKey): Promise<ReadBatch | undefined> {
  const readAt = performance.now()
  const work = await ctx.tx((em) => readBatch(em, key))
  return work && { work, readAt }
}

/** Step 1: checks that the run may send now. If not, holds or fails the run and returns undefined. */
async function requireReady(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { workspaceId, runId }: BatchKey,
  { work }: ReadBatch,
): Promise<ReadySender | undefined> {
  const readiness = await delivery.readinessChecks.check(ctx, work.run.sender_identity_id)
  if (readiness.kind !== 'ready') {
    await ctx.tx((em) =>
      readiness.kind === 'held'
        ? holdRun(em, workspaceId, runId, readiness.by)
        : failRun(em, workspaceId, runId, readiness.reason),
    )
    return undefined
  }
  await recordRoute(ctx, work, runId, routeOf(workspaceId, readiness.sender))
  return readiness
}

interface ReadyBatch {
  key: BatchKey
  read: ReadBatch
  ready: ReadySender
  onCalling: () => void
}

/** Steps 2 to 5, if the connection and this worker have a free call: judge, commit the intent, hand over, store the results. */
async function admit(delivery: DeliveryDeps, ctx: Ctx, { key, read, ready, onCalling }: ReadyBatch): Promise<void> {
  if (read.work.calls >= delivery.limits.atOnce) return postpone(ctx, key, 'connection_full')
  const leave = delivery.calls.enter(key.workspaceId, ready.sender.providerConnectionId)
  if (!leave) return postpone(ctx, key, 'worker_full')
  let known: Pick<ReadyBatch, 'read' | 'ready'> | undefined = { read, ready }
  const judge: Judge = async () => {
    const now = known ?? (await again(delivery, ctx, key))
    known = undefined
    return now && judgeBatch(delivery, ctx, now)
  }
  try {
    const sent = await sendMessages(ctx, batchOrigin(key, delivery.limits), judge, onCalling)
    if (sent.kind === 'postponed') ctx.metrics.postponed.inc({ why: sent.why })
    if (sent.kind === 'claimed' && !sent.isWhole)
      await ctx.tx((em) => postponeBatch(em, key, sent.handOffs.length > 0 ? 0 : undefined))
  } finally {
    leave()
  }
}

/** Reads the batch and checks the run again, because the verdicts expired before the intent. */
async function again(
  delivery: DeliveryDeps,
  ctx: Ctx,
  key: BatchKey,
): Promise<Pick<ReadyBatch, 'read' | 'ready'> | undefined> {
  const read = await readNow(ctx, key)
  const ready = read && (await requireReady(delivery, ctx, key, read))
  return ready && { read, ready }
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

async function postpone(ctx: Ctx, key: BatchKey, why: 'connection_full' | 'worker_full'): Promise<void> {
  ctx.metrics.postponed.inc({ why })
  await ctx.tx((em) => postponeBatch(em, key))
}

/** Step 2: requests verdicts and builds the messages. */
async function judgeBatch(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { read: { work, readAt }, ready }: Pick<ReadyBatch, 'read' | 'ready'>,
): Promise<JudgedMessages> {
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
  return {
    ...messagesFor(recipients, content.compiled),
    ...ready,
    form: content.formWith(links),
    judged: { databaseTime: work.judgedAt, ms: readAt },
  }
}
