import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { column, kyselyOf, newId, sql, statement } from '@lettergate/database'
import type { Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { callsUnderWay } from '../delivery/calls-under-way.ts'
import { deliverBatches, type DeliveryDeps } from '../delivery/deliver-batches.ts'
import type { BatchKey } from '../delivery/hand-off.ts'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { messageContents } from '../delivery/message-content.ts'
import { recallLostBatches } from '../delivery/recall-lost-batches.ts'
import { sweep } from '../delivery/sweep.ts'
import { takeTurns } from '../delivery/take-turns.ts'
import { recordFacts } from '../events/record-facts.ts'
import { requireRun } from '../runs/campaign-run.entity.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { startDueRuns } from '../runs/start-due-runs.ts'
import { buildSnapshot, type SnapshotCounts } from '../schedule/build-snapshot.ts'
import { scheduleRun } from '../schedule/schedule-run.ts'
import { insertRun, type RunParts } from './rehearsed-run.ts'
import { RehearsedCrash, rehearsedIdPrefix, type CrashPoint, type RehearsedWorker } from './rehearsed-worker.ts'
import type { RehearsalStage } from './prediction.ts'

/** What the database says of the rehearsed run before it is rolled back. */
export interface RehearsedRun {
  runState: string
  snapshot: SnapshotCounts
  sent: number
  claimed: number
  duplicateClaims: number
  recovered: number
  providerCalls: number
  crashes: Record<CrashPoint, number>
  stages: RehearsalStage[]
}

interface Parts extends RunParts {
  service: Pick<Service, 'log' | 'metrics'>
}

/**
 * Takes the rehearsed run through the code of a real one: snapshot, start, turns, claims, results, and recovery after workers
 * that end on purpose. Each step is committed to a savepoint of the transaction that is rolled back.
 */
export async function rehearseDelivery(parts: Parts): Promise<RehearsedRun> {
  const { worker, service } = parts
  const { ctx } = worker
  const { workspaceId } = ctx
  const [job, draft] = await insertRun(parts)
  const stages: RehearsalStage[] = []
  const began = performance.now()
  const snapshot = await buildSnapshot(ctx, job, draft)
  await ctx.tx((em) => scheduleRun(em, ctx, { job, draft, counts: snapshot }))
  stages.push({ name: 'snapshot', recipients: snapshot.included, milliseconds: performance.now() - began })

  const each = oneByOne(service, 'synthetic-rehearsal')
  await startDueRuns(ctx, () => ctx, each)
  const delivery = deliveryOf(ctx)
  const crashes = crashPlan(snapshot.batches)
  const handedOver = await deliverDue(delivery, worker, crashes)
  stages.push(...handedOver.stages)

  const recoveryBegan = performance.now()
  await passTime(ctx)
  await sweep(ctx, each)
  await recallLostBatches(ctx, true)
  const again = await deliverDue(delivery, worker, new Map())
  await provideEvents(ctx)
  // A message of the queue may come twice. Its batch is done, so nothing is claimed.
  for (const key of [...handedOver.keys, ...again.keys]) await deliverBatches(delivery, groupOf(key))
  await sweep(ctx, each)
  const found = await ctx.tx(async (em) => {
    const run = await requireRun(em, workspaceId, workspaceId)
    const { sent } = await countSent(em, workspaceId, workspaceId)
    const claims = await selectClaims.row(em, claimsOf(workspaceId, [...crashes.keys()]))
    return { runState: run.state, sent, ...claims! }
  })
  stages.push({ name: 'recovery', recipients: found.recovered, milliseconds: performance.now() - recoveryBegan })
  const points = [...crashes.values()]
  const count = (point: CrashPoint) => points.filter((one) => one === point).length
  return {
    runState: found.runState,
    snapshot,
    sent: found.sent,
    claimed: found.claimed,
    duplicateClaims: found.claims - found.claimed,
    recovered: found.recovered,
    providerCalls: found.provider_calls,
    crashes: { before_intent: count('before_intent'), after_intent: count('after_intent') },
    stages,
  }
}

const callsAtOnce = 64

/** The sender exists nowhere else. Its readiness is given, because a rehearsal does not depend on that of the workspace. */
function deliveryOf(ctx: Ctx): DeliveryDeps {
  const sender: SenderReadiness = {
    $typeName: 'lettergate.sending.v1.SenderReadiness',
    senderIdentityId: newId(),
    isEnabled: true,
    displayName: 'Synthetic rehearsal',
    fromAddress: 'rehearsal@rehearsal.invalid',
    replyTo: 'rehearsal@rehearsal.invalid',
    sendingDomainId: newId(),
    domainName: 'rehearsal.invalid',
    domainIsReady: true,
    domainIsVerified: true,
    domainCheckIsCurrent: true,
    providerConnectionId: newId(),
    connectionIsActive: true,
    connectionState: 'verified',
    region: 'us',
    credentialEnvKey: 'MAILPROVIDER_NONE',
  }
  return {
    ctxOf: () => ctx,
    readinessChecks: {
      check: async () => ({ kind: 'ready', sender, isCurrent: () => true }),
      drop: () => undefined,
    },
    contentOf: messageContents(),
    calls: callsUnderWay(callsAtOnce),
    limits: { atOnce: callsAtOnce, perSecond: 0 },
  }
}

/** Batches of each kind whose worker ends on purpose, at most. */
const crashesMax = 3

/** Spreads the crashes over the run: batch → where its worker ends. */
function crashPlan(batches: number): Map<number, CrashPoint> {
  const each = Math.max(1, Math.min(crashesMax, Math.floor(batches / 10)))
  const plan = new Map<number, CrashPoint>()
  for (let n = 0; n < each; n += 1) {
    const first = Math.floor((n * batches) / each)
    plan.set(first, 'after_intent')
    if (first + 1 < batches) plan.set(first + 1, 'before_intent')
  }
  return plan
}

/** Delivers every batch that is due, in the turns of the publisher. */
async function deliverDue(delivery: DeliveryDeps, worker: RehearsedWorker, crashes: ReadonlyMap<number, CrashPoint>) {
  const { ctx } = worker
  const window = {
    room: callsAtOnce,
    share: callsAtOnce,
    limits: delivery.limits,
    batchSize: ctx.config.deliveryBatchSize,
  }
  const keys: BatchKey[] = []
  const times = { claim: 0, request: 0, settle: 0 }
  let delivered = 0
  for (;;) {
    const due = await ctx.tx((em) => takeTurns(em, window))
    if (due.length === 0) break
    for (const key of due) {
      ctx.signal.throwIfAborted()
      const point = crashes.get(key.batch)
      worker.crashNext(point)
      const began = performance.now()
      try {
        await deliverBatches(delivery, groupOf(key))
        keys.push(key)
      } catch (error) {
        if (!(error instanceof RehearsedCrash)) throw error
        continue
      }
      const { calledAt, answeredAt, recipients } = worker.lastCall()
      times.claim += calledAt - began
      times.request += answeredAt - calledAt
      times.settle += performance.now() - answeredAt
      delivered += recipients
    }
  }
  const stages = Object.entries(times).map(([name, milliseconds]): RehearsalStage => ({
    name,
    recipients: delivered,
    milliseconds,
  }))
  return { keys, stages }
}

/** A batch on its own, because each crash is planned for one. */
const groupOf = ({ workspaceId, runId, batch }: BatchKey) => ({ workspaceId, runId, batches: [batch] })

/** Makes what crashed workers left as old as the jobs of recovery expect. */
async function passTime(ctx: Ctx): Promise<void> {
  const { workspaceId } = ctx
  const earlier = (moment: string) => sql<string>`${sql.ref(moment)} - interval '1 hour'`
  await ctx.tx(async (em) => {
    await kyselyOf(em, DeliveryBatch)
      .updateTable('delivery_batches')
      .set({ published_at: earlier('published_at') })
      .where('workspace_id', '=', workspaceId)
      .where('done_at', 'is', null)
      .execute()
    await kyselyOf(em, HandOff)
      .updateTable('hand_offs')
      .set({ claimed_at: earlier('claimed_at'), judged_at: earlier('judged_at') })
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'claimed')
      .execute()
  })
}

/** The provider events about the messages whose worker ended before it knew the result. They settle the unknown hand-offs. */
async function provideEvents(ctx: Ctx): Promise<void> {
  const { workspaceId } = ctx
  const unknown = await ctx.tx((em) =>
    kyselyOf(em, HandOff)
      .selectFrom('hand_offs')
      .select('message_ids')
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'unknown')
      .execute(),
  )
  for (const { message_ids: messageIds } of unknown) {
    const at = new Date()
    const facts = messageIds.map((messageId) => ({
      messageId,
      fact: 'accepted' as const,
      at,
      providerEventId: '',
      eventId: null,
    }))
    await ctx.tx((em) => recordFacts(em, workspaceId, facts))
  }
}

const selectClaims = statement('count-rehearsed-claims', {
  claims: column.integer(),
  claimed: column.integer(),
  recovered: column.integer(),
  provider_calls: column.integer(),
})

/** Counts the messages in hand-offs, those in several, those of crashed workers that were sent, and calls that a provider answered. */
const claimsOf = (runId: string, crashed: readonly number[]) => sql`
  with named as (
    select h.batch, h.state, m.id from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
     where h.workspace_id = ${runId} and h.origin_id = ${runId} and h.state <> 'put_back')
  select count(*)::int as claims, count(distinct id)::int as claimed,
         (count(distinct id) filter (where state = 'accepted' and batch = any(${[...crashed]}::integer[])))::int as recovered,
         (select count(*)::int from hand_offs h where h.workspace_id = ${runId} and h.origin_id = ${runId}
             and h.provider_message_id is not null and not starts_with(h.provider_message_id, ${rehearsedIdPrefix})) as provider_calls
    from named`
