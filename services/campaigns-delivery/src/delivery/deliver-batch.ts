import { kyselyOf } from '@lettergate/database'
import { systemCaller, type CallScope } from '@lettergate/service'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { SendingRoute } from '../connections/connection-hold.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { ReadinessChecks } from '../gates/run-readiness.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { finishRun } from '../runs/finish-run.ts'
import { failRun, holdRun } from '../runs/hold-run.ts'
import type { CallsUnderWay } from './calls-under-way.ts'
import { routeOf, sizeOf, type ConnectionLimits } from './claim.ts'
import type { BatchKey, ClaimedHandOff, HandOffMessage } from './hand-off.ts'
import { accessOf, handOver, type ReadySender } from './hand-over.ts'
import { commitIntent, postponeBatch, type Intended, type Intent, type Postponed } from './intent.ts'
import { messagesFor, requireLinks, type SenderContent } from './message-content.ts'
import { pausePoint } from './pause-point.ts'
import { retryWrite } from './retry-write.ts'
import { putBack } from './put-back.ts'
import { readBatch, type PendingBatch } from './read-batch.ts'

/** What the worker passes to each batch. */
export interface DeliveryDeps {
  ctxOf: (scope: CallScope) => Ctx
  readinessChecks: ReadinessChecks
  contentOf: (ctx: Ctx, contentVersionId: string, sender: ReadySender) => Promise<SenderContent>
  calls: CallsUnderWay
  limits: ConnectionLimits
}

/** How often a batch is checked and judged before it is postponed because the verdicts keep expiring. */
const judgementsMax = 3

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
  const { readinessChecks } = delivery
  const generation = readinessChecks.generation()
  const readiness = await readinessChecks.check(ctx, work.run.sender_identity_id)
  if (readiness.kind !== 'ready') {
    await ctx.tx((em) =>
      readiness.kind === 'held'
        ? holdRun(em, workspaceId, runId, readiness.by)
        : failRun(em, workspaceId, runId, readiness.reason),
    )
    return 'done'
  }
  const { sender } = readiness
  const route = routeOf(workspaceId, sender)
  await recordRoute(ctx, work, runId, route)
  if (work.calls >= delivery.limits.atOnce) return postpone(ctx, key, 'connection_full')
  const leave = delivery.calls.enter(workspaceId, route.connectionId)
  if (!leave) return postpone(ctx, key, 'worker_full')
  try {
    return await deliver(delivery, ctx, batch, { sender, isCurrent: () => readinessChecks.generation() === generation })
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

async function postpone(ctx: Ctx, key: BatchKey, why: Postponed): Promise<'done'> {
  ctx.metrics.postponed.inc({ why })
  await ctx.tx((em) => postponeBatch(em, key))
  return 'done'
}

interface Clearance {
  sender: ReadySender
  isCurrent: () => boolean
}

/** Steps 2 to 5. */
async function deliver(
  delivery: DeliveryDeps,
  ctx: Ctx,
  { key, work, readAt, onCalling }: BatchWork,
  { sender, isCurrent }: Clearance,
): Promise<Delivered> {
  const access = accessOf(ctx, sender)
  const content = await delivery.contentOf(ctx, work.run.content_version_id, sender)

  // Step 2: request verdicts.
  const { recipients, links } = await requestVerdicts(ctx, work, content.tokens)
  const { messages, ...judged } = messagesFor(recipients, content.compiled)
  const form = content.formWith(links)

  // Step 3: commit the intent.
  const intentAt = performance.now()
  const intended = { ...judged, judgedAt: work.judgedAt, sender, limits: delivery.limits }
  const intent = await commit(ctx, key, intended, isCurrent)
  if (intent.kind === 'outdated') return 'outdated'
  if (intent.kind === 'postponed') ctx.metrics.postponed.inc({ why: intent.why })
  if (intent.kind !== 'claimed') return 'done'
  ctx.metrics.transitions.inc({ state: 'skipped' }, intent.skipped)
  const claimed = sizeOf(intent.handOffs)
  ctx.metrics.transitions.inc({ state: 'claimed' }, claimed)
  if (claimed > 0) await pausePoint(ctx, 'after_intent')

  // Steps 4 and 5: hand over and store the result.
  onCalling()
  const route = routeOf(key.workspaceId, sender)
  const { isTrial } = intent
  const prepared = { access, form, messages, intentAt, judgedAt: readAt, isCurrent }
  await Promise.all(intent.handOffs.map((handOff) => handOver(ctx, { handOff, route, isTrial }, prepared)))
  if (!intent.isWhole) await ctx.tx((em) => postponeBatch(em, key, claimed > 0 ? 0 : undefined))
  return 'done'
}

/** Requests the current verdict of every pending recipient from contacts-consent, and the links of their messages. */
async function requestVerdicts(ctx: Ctx, { recipients }: PendingBatch, tokens: string[]) {
  const questions = recipients.map(({ contact_id, audience_id }) => ({
    contactId: contact_id,
    audienceId: audience_id,
  }))
  const { recipients: answers, linkBases } = await ctx.contacts.prepareRecipients(
    ctx,
    { recipients: questions, tokens },
    { timeoutMs: 10_000 },
  )
  if (
    answers.length !== questions.length ||
    answers.some((answer, index) => answer.contactId !== questions[index]!.contactId)
  ) {
    throw new Error('contacts-consent answered for other contacts than requested')
  }
  const judged = recipients.map((recipient, index) => {
    const prepared = answers[index]!
    const { id, contact_id: contactId, audience_id: audienceId } = recipient
    const message: HandOffMessage = {
      id,
      contactId,
      audienceId,
      minimumIntervalSeconds: prepared.minimumIntervalSeconds,
    }
    return { message, prepared }
  })
  return { recipients: judged, links: requireLinks(linkBases) }
}

/**
 * Commits the intent unless a gate changed since the verdicts were requested. If it is uncertain whether the commit
 * succeeded, nothing is handed over and the claimed messages become pending again.
 */
async function commit(ctx: Ctx, key: BatchKey, intended: Intended, isCurrent: () => boolean): Promise<Intent> {
  let claimed: ClaimedHandOff[] = []
  try {
    return await ctx.tx(async (em) => {
      if (!isCurrent()) {
        await postponeBatch(em, key, 0)
        return { kind: 'postponed', why: 'gates_changed' }
      }
      const made = await commitIntent(em, key, intended)
      claimed = made.kind === 'claimed' ? made.handOffs : []
      if (made.kind === 'claimed' && claimed.length === 0) await finishRun(em, key.workspaceId, key.runId)
      return made
    })
  } catch (error) {
    for (const handOff of claimed)
      await retryWrite(ctx.log, () =>
        ctx.tx((em) => putBack(em, ctx.origins, handOff, { reason: 'intent_uncertain', dueAt: null })),
      )
    throw error
  }
}
