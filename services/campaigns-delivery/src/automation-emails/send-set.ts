import { traced } from '@lettergate/service/tracing'
import { findContentState } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { DeliveryDeps } from '../delivery/deliver-batches.ts'
import type { HandOffMessage } from '../delivery/hand-off.ts'
import { messagesFor, type SenderContent } from '../delivery/message-content.ts'
import { sendMessages, type Judge, type JudgedMessages, type Sent } from '../delivery/send-messages.ts'
import { judgingNow } from '../delivery/verdicts.ts'
import type { ReadySender } from '../gates/run-readiness.ts'
import type { MessageEnd } from '../messages/message-fact.entity.ts'
import type { MessageRecipient } from '../provider/mailgun/message-form.ts'
import { emailOrigin, storeEnds } from './email-intent.ts'
import { notReached, type Waiting } from './email-results.ts'
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

/**
 * Sends a set of emails like a batch of a run: check gates and sender, request verdicts, commit the intent, hand over, store
 * the result. Emails that cannot be sent now wait. A hand-off that may have happened is never repeated. `mayGoOn`: whether
 * a call may begin. The work is part of the trace of the first step, and linked to those of the others.
 */
export function sendSet(ctx: Ctx, delivery: DeliveryDeps, set: EmailSet, mayGoOn: () => boolean): Promise<SentSet> {
  const attributes = { 'lettergate.automation.id': set.automationId, 'lettergate.emails': set.emails.length }
  const [parent, ...links] = set.emails.map(({ trace }) => trace)
  return traced('send automation emails', { parent, links, attributes }, () => admit(ctx, delivery, set, mayGoOn))
}

/** Step 1: checks that the set may be sent now and that another call is allowed. */
async function admit(ctx: Ctx, delivery: DeliveryDeps, set: EmailSet, mayGoOn: () => boolean): Promise<SentSet> {
  const { workspaceId } = ctx
  const [readiness, content] = await Promise.all([
    delivery.readinessChecks.check(ctx, set.senderIdentityId, automationGate),
    ctx.tx((em) => findContentState(em, workspaceId, set.contentVersionId)),
  ])
  if (readiness.kind === 'held') return held(readiness.by)
  if (!content) return { kind: 'impossible', reason: 'content_missing' }
  if (readiness.kind === 'gone') return failAll(ctx, set, readiness.reason)
  if (!content.valid) return failAll(ctx, set, 'content_empty')
  if (content.isForConfirmations) return failAll(ctx, set, 'content_for_confirmations')
  const leave = delivery.calls.enter(workspaceId, readiness.sender.providerConnectionId)
  if (!leave) return waiting('worker_full')
  try {
    return await deliver(ctx, delivery, { set, mayGoOn, ready: readiness })
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
  ready: { kind: 'ready' } & ReadySender
}

/** Steps 2 to 5, again for the emails that are left while each call carries one recipient. */
async function deliver(ctx: Ctx, delivery: DeliveryDeps, cleared: Cleared): Promise<SentSet> {
  const { mayGoOn } = cleared
  let { set } = cleared
  let known: Cleared['ready'] | undefined = cleared.ready
  let unsent: SentSet | undefined
  // The answers about gates and sender are too old for another round, so they are checked again.
  const judge: Judge = async () => {
    const readiness = known ?? (await delivery.readinessChecks.check(ctx, set.senderIdentityId, automationGate))
    known = undefined
    const judged = readiness.kind === 'ready' ? await judgeSet(ctx, delivery, { set, ready: readiness }) : undefined
    if (!judged)
      unsent = readiness.kind === 'ready' ? done : held(readiness.kind === 'held' ? readiness.by : readiness.reason)
    return judged
  }
  for (;;) {
    const sent = await sendMessages(ctx, emailOrigin(ctx, set, delivery.limits, mayGoOn), judge)
    if (sent.kind === 'postponed') return postponed(ctx, sent)
    if (sent.kind === 'stopped') return unsent ?? { kind: 'waiting', why: notReached }
    const { handOffs, results, skipped } = sent
    ctx.metrics.countAutomationEmails('skipped', skipped)
    for (const [at, { messages }] of handOffs.entries())
      ctx.metrics.countAutomationEmails(results[at]!, messages.length)
    const [first] = handOffs
    if (!first) return done
    const tried = new Set(handOffs.flatMap(({ messages }) => messages.map(({ id }) => id)))
    const left = set.emails.filter(({ stepId }) => !tried.has(stepId))
    if (left.length === 0 || !mayGoOn()) return waiting('put_back')
    set = { ...set, batch: first.batch, emails: left }
  }
}

/** Emails of a connection in cooldown wait until it ends, and the others for a moment. */
const postponed = (ctx: Ctx, { why, until }: Extract<Sent, { kind: 'postponed' }>): SentSet =>
  waiting(why, until ? Math.max(250, until.getTime() - ctx.now().getTime()) : 1_000)

/** Step 2: requests verdicts and stores who is not eligible. Undefined when nobody is eligible. */
async function judgeSet(
  ctx: Ctx,
  delivery: DeliveryDeps,
  { set, ready }: Pick<Cleared, 'set' | 'ready'>,
): Promise<JudgedMessages | undefined> {
  const content = await delivery.contentOf(ctx, set.contentVersionId, ready.sender)
  const judged = await judgingNow(ctx)
  const { judged: emails, links } = await judgeEmails(ctx, set.emails, content.tokens)
  const { messages, eligible, ineligible } = messagesOf(emails, content)
  await end(
    ctx,
    set,
    ineligible.map(({ id, audienceId, reasons }) => ({ id, end: 'skipped', audienceId, reasons })),
  )
  if (eligible.length === 0 || links === undefined) return undefined
  return { ...ready, judged, messages, eligible, ineligible: [], form: content.formWith(links) }
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
