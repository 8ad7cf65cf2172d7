import { Fault } from '@lettergate/fault'
import { column, sql, statement } from '@lettergate/database'
import { traced } from '@lettergate/service/tracing'
import { findContentState } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { routeOf, sizeOf } from '../delivery/claim.ts'
import type { DeliveryDeps } from '../delivery/deliver-batch.ts'
import type { ClaimedHandOff, HandOffMessage } from '../delivery/hand-off.ts'
import { accessOf, handOver, type PreparedCall, type ReadySender } from '../delivery/hand-over.ts'
import { messagesFor, type SenderContent } from '../delivery/message-content.ts'
import { pausePoint } from '../delivery/pause-point.ts'
import { putBack } from '../delivery/put-back.ts'
import { retryWrite } from '../delivery/retry-write.ts'
import type { MessageEnd } from '../messages/message-fact.entity.ts'
import type { MessageRecipient } from '../provider/mailgun/message-form.ts'
import { commitEmailIntent, NotClaimed, storeEnds, VerdictsOutdated, type EmailIntent } from './email-intent.ts'
import type { Waiting } from './email-results.ts'
import type { EmailSet } from './email-sets.ts'
import { judgeEmails, type JudgedEmail } from './judge-emails.ts'

/** The platform gate for automations. */
export const automationGate = 'automation_enabled'

/** What became of a set, apart from the states of its messages: why they wait, or why they can never be stored. */
export type SentSet = { kind: 'done' } | { kind: 'waiting'; why: Waiting } | { kind: 'impossible'; reason: string }

const done: SentSet = { kind: 'done' }
const waiting = (reason: string, retryInMs = 1_000): SentSet => ({ kind: 'waiting', why: { reason, retryInMs } })

/** A closed gate, or a sender that is not ready, is checked again after 10 s at the earliest. */
const held = (by: string): SentSet => ({ kind: 'waiting', why: { reason: by, retryInMs: 10_000, isHeld: true } })
/** How often verdicts are requested for a set before it waits because they keep expiring. */
const judgementsMax = 3

/**
 * Sends a set of emails like a batch of a run: check gates and sender, request verdicts, commit the intent, hand over, store
 * the result. Emails that cannot be sent now wait. A hand-off that may have happened is never repeated. `mayGoOn`: whether
 * another call may begin. The work is part of the trace of the first step, and linked to those of the others.
 */
export function sendSet(ctx: Ctx, delivery: DeliveryDeps, set: EmailSet, mayGoOn: () => boolean): Promise<SentSet> {
  const attributes = { 'lettergate.automation.id': set.automationId, 'lettergate.emails': set.emails.length }
  const [parent, ...links] = set.emails.map(({ trace }) => trace)
  return traced('send automation emails', { parent, links, attributes }, () => admit(ctx, delivery, set, mayGoOn))
}

/** Step 1: checks that the set may be sent now and that another call is allowed. */
async function admit(ctx: Ctx, delivery: DeliveryDeps, set: EmailSet, mayGoOn: () => boolean): Promise<SentSet> {
  const { workspaceId } = ctx
  const { readinessChecks } = delivery
  const generation = readinessChecks.generation()
  const [readiness, content] = await Promise.all([
    readinessChecks.check(ctx, set.senderIdentityId, automationGate),
    ctx.tx((em) => findContentState(em, workspaceId, set.contentVersionId)),
  ])
  if (readiness.kind === 'held') return held(readiness.by)
  if (!content) return { kind: 'impossible', reason: 'content_missing' }
  if (readiness.kind === 'gone') return failAll(ctx, set, readiness.reason)
  if (!content.valid) return failAll(ctx, set, 'content_empty')
  const { sender } = readiness
  const leave = delivery.calls.enter(workspaceId, sender.providerConnectionId)
  if (!leave) return waiting('worker_full')
  try {
    const isCurrent = () => readinessChecks.generation() === generation
    return await deliver(ctx, delivery, { set, mayGoOn, sender, isCurrent })
  } catch (error) {
    if (error instanceof NotClaimed) return { kind: 'waiting', why: error.waiting }
    throw error
  } finally {
    leave()
  }
}

async function failAll(ctx: Ctx, set: EmailSet, reason: string): Promise<SentSet> {
  await end(
    ctx,
    set,
    set.emails.map(({ stepId, audienceIds }) => {
      return { id: stepId, end: 'failed', audienceId: audienceIds[0] ?? null, reasons: [reason] }
    }),
  )
  return done
}

async function end(
  ctx: Ctx,
  set: EmailSet,
  ends: readonly { id: string; end: MessageEnd; audienceId: string | null; reasons: readonly string[] }[],
): Promise<void> {
  if (ends.length === 0) return
  const stored = await ctx.tx((em) => storeEnds(em, ctx, set, ends))
  ctx.metrics.countAutomationEmails(ends[0]!.end, stored)
}

interface Cleared {
  set: EmailSet
  mayGoOn: () => boolean
  sender: ReadySender
  isCurrent: () => boolean
}

/** Steps 2 to 5, again for the emails that are left while each call carries one recipient. */
async function deliver(ctx: Ctx, delivery: DeliveryDeps, cleared: Cleared): Promise<SentSet> {
  const { sender, isCurrent, mayGoOn } = cleared
  const access = accessOf(ctx, sender)
  const content = await delivery.contentOf(ctx, cleared.set.contentVersionId, sender)
  let { set } = cleared
  for (let late = 0; ;) {
    const prepared = await judgeAndClaim(ctx, delivery, { ...cleared, set }, content)
    if (prepared === 'outdated') {
      late += 1
      if (late === judgementsMax) return waiting('verdicts_late')
      ctx.metrics.rejudged.inc()
      const by = await heldBy(ctx, delivery, set)
      if (by !== undefined) return held(by)
      continue
    }
    if (prepared === undefined) return done
    const { handOffs, isTrial, batch, ...call } = prepared
    ctx.metrics.transitions.inc({ state: 'claimed' }, sizeOf(handOffs))
    await pausePoint(ctx, 'after_intent')
    const route = routeOf(ctx.workspaceId, sender)
    await Promise.all(
      handOffs.map(async (handOff) => {
        const state = await handOver(ctx, { handOff, route, isTrial }, { access, isCurrent, ...call })
        ctx.metrics.countAutomationEmails(state, handOff.messages.length)
      }),
    )
    const tried = new Set(handOffs.flatMap(({ messages }) => messages.map(({ id }) => id)))
    const left = set.emails.filter(({ stepId }) => !tried.has(stepId))
    if (left.length === 0 || !mayGoOn()) return waiting('put_back')
    const by = await heldBy(ctx, delivery, set)
    if (by !== undefined) return held(by)
    set = { ...set, batch, emails: left }
    late = 0
  }
}

/** Checks gates and sender again before another round: the answers of the last check are too old for it. */
async function heldBy(ctx: Ctx, { readinessChecks }: DeliveryDeps, set: EmailSet): Promise<string | undefined> {
  const readiness = await readinessChecks.check(ctx, set.senderIdentityId, automationGate)
  return readiness.kind === 'held' ? readiness.by : readiness.kind === 'gone' ? readiness.reason : undefined
}

const readClock = statement('read-clock-before-automation-emails', { now: column.timestamptz() })

/**
 * Steps 2 and 3: requests verdicts, stores who is not eligible, and commits the intent for the others. Undefined when nothing
 * is left to hand over.
 */
async function judgeAndClaim(
  ctx: Ctx,
  delivery: DeliveryDeps,
  { set, sender, isCurrent }: Omit<Cleared, 'mayGoOn'>,
  content: SenderContent,
): Promise<(Omit<PreparedCall, 'access' | 'isCurrent'> & Omit<EmailIntent, 'skipped'>) | 'outdated' | undefined> {
  const judgedAt = performance.now()
  const clock = await ctx.tx((em) => readClock.row(em, sql`select clock_timestamp() as now`))
  const { judged, links } = await judgeEmails(ctx, set.emails, content.tokens)
  const { messages, eligible, ineligible } = messagesOf(judged, content)
  await end(
    ctx,
    set,
    ineligible.map(({ id, audienceId, reasons }) => ({ id, end: 'skipped', audienceId, reasons })),
  )
  if (eligible.length === 0 || links === undefined) return undefined
  const intended = { set, messages: eligible, judgedAt: clock!.now, sender, limits: delivery.limits }
  const intentAt = performance.now()
  try {
    const { handOffs, isTrial, batch, skipped } = await commit(ctx, isCurrent, intended)
    ctx.metrics.countAutomationEmails('skipped', skipped)
    return handOffs.length === 0
      ? undefined
      : { handOffs, isTrial, batch, form: content.formWith(links), messages, intentAt, judgedAt }
  } catch (error) {
    if (error instanceof VerdictsOutdated) return 'outdated'
    throw error
  }
}

function messagesOf(judged: readonly JudgedEmail[], { compiled }: SenderContent) {
  const audiences = new Map(judged.map(({ email, audienceId }) => [email.stepId, audienceId]))
  const made = messagesFor(
    judged.flatMap(({ email, audienceId, prepared }) => {
      if (!prepared) return []
      const message: HandOffMessage = {
        id: email.stepId,
        contactId: email.contactId,
        audienceId,
        minimumIntervalSeconds: prepared.minimumIntervalSeconds,
      }
      return [{ message, prepared }]
    }),
    compiled,
  )
  const ineligible = [
    ...judged.flatMap(({ email, prepared, reasons }) => (prepared ? [] : [{ id: email.stepId, reasons }])),
    ...made.ineligible,
  ].map(({ id, reasons }) => ({ id, reasons, audienceId: audiences.get(id) ?? null }))
  return { ...made, messages: withTraces(made.messages, judged), ineligible }
}

/** The messages with the traces of their steps. */
function withTraces(messages: ReadonlyMap<string, MessageRecipient>, judged: readonly JudgedEmail[]) {
  const traces = new Map(judged.map(({ email }) => [email.stepId, email.trace['traceparent']]))
  return new Map(
    Array.from(messages, ([id, message]) => {
      const traceparent = traces.get(id)
      return [id, traceparent === undefined ? message : { ...message, traceparent }]
    }),
  )
}

/**
 * Commits the intent unless a gate changed since it was checked. If it is uncertain whether the commit succeeded, nothing is
 * handed over and the claimed messages become pending again.
 */
async function commit(
  ctx: Ctx,
  isCurrent: () => boolean,
  intended: Parameters<typeof commitEmailIntent>[2],
): Promise<EmailIntent> {
  let claimed: ClaimedHandOff[] = []
  try {
    return await ctx.tx(async (em) => {
      if (!isCurrent()) throw new NotClaimed({ reason: 'gates_changed', retryInMs: 250 })
      const intent = await commitEmailIntent(em, ctx, intended)
      claimed = intent.handOffs
      return intent
    })
  } catch (error) {
    for (const handOff of claimed)
      await retryWrite(ctx.log, () =>
        ctx.tx((em) => putBack(em, ctx.origins, handOff, { reason: 'intent_uncertain', dueAt: null })),
      )
    throw error
  }
}

/** Whether an error says that a service is away, so that the emails wait. */
export const isAway = (error: unknown): error is Fault => error instanceof Fault && error.code === 'unavailable'
