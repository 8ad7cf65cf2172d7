import { traced } from '@lettergate/service/tracing'
import { findContentState } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import type { DeliveryDeps } from '../delivery/deliver-batches.ts'
import type { HandOffMessage } from '../delivery/hand-off.ts'
import { messageRecipient, requireLinks } from '../delivery/message-content.ts'
import { sendMessages, type Judge, type JudgedMessages, type Sent } from '../delivery/send-messages.ts'
import { judgingNow } from '../delivery/verdicts.ts'
import type { ReadySender } from '../gates/run-readiness.ts'
import { endMessages, type MessageEnd } from '../messages/message-fact.entity.ts'
import { lockWaiting, stopWaiting, waitUntil, type DueConfirmation } from './confirmation-email.entity.ts'
import { confirmationIntent } from './confirmation-origin.ts'

/** A closed gate, or a sender that is not ready, is checked again after a tenth of the time that the email has waited. */
const heldMs = ({ waited_ms }: DueConfirmation) => Math.min(300_000, Math.max(10_000, waited_ms / 10))
const busyMs = 1_000

/**
 * Sends one confirmation email like a batch of a run: check gates and sender, ask contacts-consent, commit the intent, hand
 * over, store the result. An email that cannot be sent now waits until its confirmation expires. A hand-off that may have
 * happened is never repeated.
 */
export function sendConfirmation(ctx: Ctx, delivery: DeliveryDeps, email: DueConfirmation): Promise<void> {
  const attributes = { 'lettergate.confirmation.id': email.id }
  return traced('send confirmation email', { attributes }, () => admit(ctx, delivery, email))
}

async function admit(ctx: Ctx, delivery: DeliveryDeps, email: DueConfirmation): Promise<void> {
  if (email.is_expired) return end(ctx, email, 'skipped', 'confirmation_ended')
  const [readiness, content] = await Promise.all([
    delivery.readinessChecks.check(ctx, email.sender_identity_id),
    ctx.tx((em) => findContentState(em, ctx.workspaceId, email.content_version_id)),
  ])
  if (readiness.kind === 'held') return wait(ctx, email, heldMs(email))
  if (readiness.kind === 'gone') return end(ctx, email, 'failed', readiness.reason)
  if (!content?.valid) return end(ctx, email, 'failed', 'content_empty')
  const leave = delivery.calls.enter(ctx.workspaceId, readiness.sender.providerConnectionId)
  if (!leave) return wait(ctx, email, busyMs)
  try {
    await deliver(ctx, delivery, email, readiness)
  } finally {
    leave()
  }
}

async function deliver(ctx: Ctx, delivery: DeliveryDeps, email: DueConfirmation, ready: ReadySender): Promise<void> {
  let known: ReadySender | undefined = ready
  // The answers about gates and sender are too old for another round, so they are checked again.
  const judge: Judge = async () => {
    const readiness = known
      ? { kind: 'ready' as const, ...known }
      : await delivery.readinessChecks.check(ctx, email.sender_identity_id)
    known = undefined
    return readiness.kind === 'ready' ? judgeEmail(ctx, delivery, email, readiness) : undefined
  }
  const sent = await sendMessages(ctx, confirmationIntent(ctx, email, delivery.limits), judge)
  if (sent.kind === 'claimed') ctx.metrics.countConfirmationEmail(sent.results[0] ?? 'skipped')
  else await wait(ctx, email, postponedMs(ctx, sent))
}

const postponedMs = (ctx: Ctx, sent: Exclude<Sent, { kind: 'claimed' }>): number =>
  sent.kind === 'postponed' && sent.until ? Math.max(busyMs, sent.until.getTime() - ctx.now().getTime()) : busyMs

/** Asks contacts-consent whether the email may still be sent, and builds it. */
async function judgeEmail(
  ctx: Ctx,
  delivery: DeliveryDeps,
  email: DueConfirmation,
  { sender, isCurrent }: ReadySender,
): Promise<JudgedMessages> {
  const { id } = email
  const content = await delivery.contentOf(ctx, email.content_version_id, sender)
  const judged = await judgingNow(ctx)
  const prepared = await ctx.contacts.prepareConfirmation(ctx, { confirmationId: id })
  const recipient = prepared.reasons.length === 0 ? messageRecipient(id, prepared, content.compiled) : undefined
  const message: HandOffMessage = {
    id,
    contactId: email.contact_id,
    audienceId: email.audience_id,
    minimumIntervalSeconds: 0,
  }
  return {
    judged,
    sender,
    isCurrent,
    form: content.formWith(requireLinks(prepared.linkBases)),
    messages: new Map(recipient ? [[id, recipient]] : []),
    eligible: recipient ? [message] : [],
    ineligible: recipient
      ? []
      : [{ id, reasons: prepared.reasons.length === 0 ? ['message_too_large'] : prepared.reasons }],
  }
}

async function wait(ctx: Ctx, { id }: DueConfirmation, ms: number): Promise<void> {
  await ctx.tx(async (em) => {
    if (await lockWaiting(em, ctx.workspaceId, id))
      await waitUntil(em, ctx.workspaceId, id, new Date(ctx.now().getTime() + ms))
  })
}

async function end(ctx: Ctx, { id }: DueConfirmation, as: MessageEnd, reason: string): Promise<void> {
  const { workspaceId } = ctx
  const ended = await ctx.tx(async (em) => {
    if (!(await lockWaiting(em, workspaceId, id))) return false
    await endMessages(em, { workspaceId, originId: id }, [{ id, end: as, reasons: [reason] }])
    await stopWaiting(em, workspaceId, id)
    return true
  })
  if (ended) ctx.metrics.countConfirmationEmail(as)
}
