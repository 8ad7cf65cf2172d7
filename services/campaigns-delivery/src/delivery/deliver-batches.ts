import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf } from '@lettergate/database'
import { systemCaller, type CallScope } from '@lettergate/service'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { SendingRoute } from '../connections/connection-hold.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ReadinessChecks, ReadySender } from '../gates/run-readiness.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { finishRun } from '../runs/finish-run.ts'
import { failRun, holdRun } from '../runs/hold-run.ts'
import { batchOrigin, postponeBatches } from './batch-origin.ts'
import type { CallsUnderWay } from './calls-under-way.ts'
import { routeOf, type ConnectionLimits } from './claim.ts'
import type { BatchGroup } from './hand-off.ts'
import { messagesFor, type SenderContent } from './message-content.ts'
import { readBatches, type PendingBatch, type PendingBatches } from './read-batches.ts'
import { sendMessages, type Judge, type JudgedMessages } from './send-messages.ts'
import { requestVerdicts } from './verdicts.ts'

/** What the worker passes to each group of batches. */
export interface DeliveryDeps {
  ctxOf: (scope: CallScope) => Ctx
  readinessChecks: ReadinessChecks
  contentOf: (ctx: Ctx, contentVersionId: string, sender: SenderReadiness) => Promise<SenderContent>
  calls: CallsUnderWay
  limits: ConnectionLimits
}

/**
 * Delivers the pending recipients of batches of one run: check the run, request verdicts, commit the intent, hand over each
 * batch, store the results. Recipients who cannot be sent to now stay pending and their batch is published again. A hand-off
 * that may have happened is never repeated. Calls `onCalling` when only answers of the provider are awaited.
 */
export async function deliverBatches(
  delivery: DeliveryDeps,
  given: BatchGroup,
  onCalling: () => void = () => undefined,
): Promise<void> {
  const { workspaceId, runId } = given
  const batches = [...new Set(given.batches)]
  const group = { workspaceId, runId, batches }
  const read = await readNow(ctxOf(delivery, workspaceId, runId), group)
  if (!read) return
  const { run } = read.work
  const ctx = ctxOf(delivery, workspaceId, run.correlation_id)
  const attributes = { 'lettergate.run.id': runId, 'lettergate.batches': batches }
  await traced('deliver batches', { kind: SpanKind.CONSUMER, parent: run.trace, attributes }, async () => {
    const ready = await requireReady(delivery, ctx, group, read)
    if (ready) await admit(delivery, ctx, { group, read, ready, onCalling })
  })
}

const ctxOf = ({ ctxOf: make }: DeliveryDeps, workspaceId: string, correlationId: string): Ctx =>
  make({
    caller: { ...systemCaller('deliver', correlationId), workspaceId },
    deadline: Infinity,
    signal: new AbortController().signal,
  })

/** Open batches, and performance.now() before they were read. */
interface ReadGroup {
  work: PendingBatches
  readAt: number
}

/** Undefined when the batches are done or their run is not being sent. */
async function readNow(ctx: Ctx, group: BatchGroup): Promise<ReadGroup | undefined> {
  const readAt = performance.now()
  const work = await ctx.tx((em) => readBatches(em, group))
  return work && { work, readAt }
}

/** Step 1: checks that the run may send now. If not, holds or fails the run and returns undefined. */
async function requireReady(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { workspaceId, runId }: BatchGroup,
  { work }: ReadGroup,
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

interface ReadyGroup {
  group: BatchGroup
  read: ReadGroup
  ready: ReadySender
  onCalling: () => void
}

/** Steps 2 to 5 for the batches for which the connection and this worker have free calls. The others are postponed. */
async function admit(delivery: DeliveryDeps, ctx: Ctx, { group, read, ready, onCalling }: ReadyGroup): Promise<void> {
  const { calls } = read.work
  const [batches, apart] = deliverableTogether(read.work.batches)
  const ofConnection = batches.slice(0, Math.max(0, delivery.limits.atOnce - calls))
  const left: (() => void)[] = []
  const enter = () => delivery.calls.enter(group.workspaceId, ready.sender.providerConnectionId)
  for (let leave = enter(); leave && left.push(leave) < ofConnection.length;) leave = enter()
  const admitted = ofConnection.slice(0, left.length)
  try {
    await postpone(ctx, group, batches.slice(ofConnection.length), 'connection_full')
    await postpone(ctx, group, ofConnection.slice(left.length), 'worker_full')
    if (apart.length > 0) await ctx.tx((em) => postponeBatches(em, { ...group, batches: numbersOf(apart) }, 0))
    if (admitted.length > 0) await deliverAdmitted(delivery, ctx, { group, read, ready, onCalling }, admitted)
  } finally {
    for (const leave of left) leave()
  }
}

const numbersOf = (batches: readonly PendingBatch[]) => batches.map(({ batch }) => batch)

/** A batch in single messages is delivered alone. Returns the batches to deliver now, and the others. */
function deliverableTogether(batches: readonly PendingBatch[]): [PendingBatch[], PendingBatch[]] {
  const [first] = batches
  const isNow = (one: PendingBatch) => (first?.isSingles ? one === first : !one.isSingles)
  return [batches.filter(isNow), batches.filter((one) => !isNow(one))]
}

async function deliverAdmitted(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { group, read, ready, onCalling }: ReadyGroup,
  batches: readonly PendingBatch[],
): Promise<void> {
  const admitted = { ...group, batches: numbersOf(batches) }
  let known: Pick<ReadyGroup, 'read' | 'ready'> | undefined = {
    read: { ...read, work: { ...read.work, batches: [...batches] } },
    ready,
  }
  const judge: Judge = async () => {
    const now = known ?? (await again(delivery, ctx, admitted))
    known = undefined
    return now && judgeBatches(delivery, ctx, now)
  }
  const sent = await sendMessages(ctx, batchOrigin(admitted, delivery.limits), judge, onCalling)
  if (sent.kind === 'postponed') ctx.metrics.postponed.inc({ why: sent.why }, batches.length)
  if (sent.kind !== 'claimed') return
  const hasCalls = sent.handOffs.length > 0
  if (!sent.isWhole && sent.isSingles) await ctx.tx((em) => postponeBatches(em, admitted, hasCalls ? 0 : undefined))
  // After the intent, whose shared lock of the run would wait for that of another intent. The sweep completes what a dead worker leaves.
  if (sent.isWhole && !hasCalls) await ctx.tx((em) => finishRun(em, group.workspaceId, group.runId))
}

/**
 * Reads the batches and checks the run again, because the verdicts expired before the intent. Returns only the first batch,
 * because fewer verdicts are answered sooner. The intent releases the others.
 */
async function again(
  delivery: DeliveryDeps,
  ctx: Ctx,
  group: BatchGroup,
): Promise<Pick<ReadyGroup, 'read' | 'ready'> | undefined> {
  const read = await readNow(ctx, group)
  const ready = read && (await requireReady(delivery, ctx, group, read))
  return ready && { read: { ...read, work: { ...read.work, batches: read.work.batches.slice(0, 1) } }, ready }
}

/** Stores the route that the run used last. The publisher checks the cooldown and the calls of that connection. */
async function recordRoute(ctx: Ctx, { run }: PendingBatches, runId: string, route: SendingRoute): Promise<void> {
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
  group: BatchGroup,
  batches: readonly PendingBatch[],
  why: 'connection_full' | 'worker_full',
): Promise<void> {
  if (batches.length === 0) return
  ctx.metrics.postponed.inc({ why }, batches.length)
  await ctx.tx((em) => postponeBatches(em, { ...group, batches: numbersOf(batches) }))
}

/** Step 2: requests verdicts and builds the messages. */
async function judgeBatches(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { read: { work, readAt }, ready }: Pick<ReadyGroup, 'read' | 'ready'>,
): Promise<JudgedMessages> {
  const content = await delivery.contentOf(ctx, work.run.content_version_id, ready.sender)
  const pending = work.batches.flatMap(({ recipients }) => recipients)
  const { verdicts, links } = await requestVerdicts(
    ctx,
    pending.map(({ contact_id: contactId, audience_id: audienceId }) => ({ contactId, audienceId })),
    content.tokens,
  )
  const recipients = pending.map(({ id, contact_id: contactId, audience_id: audienceId }, index) => {
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
