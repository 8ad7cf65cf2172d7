import { Fault } from '@lettergate/fault'
import { systemCaller, type CallScope } from '@lettergate/service'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { handOffMessages, type ProviderAccess } from '../provider/mailgun/mailgun.ts'
import type { MessageRecipient } from '../provider/mailgun/message-form.ts'
import {
  commitIntent,
  readBatch,
  type BatchKey,
  type IntendedHandOff,
  type Intent,
  type PendingBatch,
} from './intent.ts'
import { holdRun, failRun } from './hold-run.ts'
import type { Measures } from './measures.ts'
import { messagesFor, type MessageContent } from './message-content.ts'
import { pausePoint } from './pause-point.ts'
import { persistently } from './persistently.ts'
import { finishRun, putBack, settle } from './settle.ts'
import type { Standing, Standings } from './standing.ts'

/** What the worker's loop gives to each batch. */
export interface Delivery {
  ctxOf: (scope: CallScope) => Ctx
  standings: Standings
  contentOf: (ctx: Ctx, contentVersionId: string, sender: ClearSender) => Promise<MessageContent>
  measures: Measures
}

type ClearSender = Extract<Standing, { kind: 'clear' }>['sender']

/** A hand-off that has not begun this long after its intent was committed does not begin at all. */
const handOffWithinMs = 2_000
const roundsMax = 200

/**
 * Delivers what waits in one batch, as often as it takes: check, ask about the people, commit the intent, hand off, settle.
 * Whatever it cannot do now stays pending and is published again; whatever may have happened is never done twice.
 */
export async function deliverBatch(delivery: Delivery, key: BatchKey): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const asking = ctxOf(delivery, key.workspaceId, key.runId)
    const work = await asking.tx((em) => readBatch(em, key))
    if (!work) return
    const ctx = ctxOf(delivery, key.workspaceId, work.run.correlation_id)
    const attributes = { 'lettergate.run.id': key.runId, 'lettergate.batch': key.batch }
    const isMore = await traced('deliver batch', { kind: SpanKind.CONSUMER, parent: work.run.trace, attributes }, () =>
      deliverOnce(delivery, ctx, key, work),
    )
    if (!isMore) return
  }
}

const ctxOf = ({ ctxOf: make }: Delivery, workspaceId: string, correlationId: string): Ctx =>
  make({
    caller: { ...systemCaller('deliver', correlationId), workspaceId },
    deadline: Infinity,
    signal: new AbortController().signal,
  })

/** The five steps. Answers whether something of the batch may be delivered right now still. */
async function deliverOnce(delivery: Delivery, ctx: Ctx, key: BatchKey, work: PendingBatch): Promise<boolean> {
  // 1. Is this run allowed to send?
  const standing = await delivery.standings.of(ctx, work.run.sender_identity_id)
  if (standing.kind === 'held') return stop(ctx.tx((em) => holdRun(em, key.workspaceId, key.runId, standing.by)))
  if (standing.kind === 'gone') return stop(ctx.tx((em) => failRun(em, key.workspaceId, key.runId, standing.reason)))
  const { sender } = standing
  const access = accessOf(ctx, sender)

  // 2. Are these people?
  const content = await delivery.contentOf(ctx, work.run.content_version_id, sender)
  const questions = work.recipients.map(({ contact_id, audience_id }) => ({
    contactId: contact_id,
    audienceId: audience_id,
  }))
  const { recipients: answers } =
    questions.length === 0
      ? { recipients: [] }
      : await ctx.contacts.prepareRecipients(
          ctx,
          { recipients: questions, tokens: content.tokens },
          { timeoutMs: 10_000 },
        )
  if (
    answers.length !== questions.length ||
    answers.some((answer, index) => answer.contactId !== questions[index]!.contactId)
  ) {
    throw new Error('contacts-consent answered about other people than it was asked about')
  }
  const people = work.recipients.map(({ id }, index) => ({ id, person: answers[index]! }))
  const { messages, ineligible } = messagesFor(people, content.compiled)
  const eligible = [...messages.keys()]

  // 3. Write down what is about to happen.
  const intentAt = performance.now()
  const intended = { eligible, ineligible, judgedAt: work.judgedAt, sender, isSingles: work.isSingles }
  const intent = await commit(ctx, key, intended)
  if (intent.kind !== 'claimed') return false
  const { measures } = delivery
  measures.transitions.inc({ state: 'skipped' }, intent.skipped)
  measures.transitions.inc(
    { state: 'claimed' },
    intent.handOffs.reduce((sum, { messageIds }) => sum + messageIds.length, 0),
  )
  if (intent.handOffs.length === 0) return false
  await pausePoint(ctx, 'after_intent')

  // 4 and 5. Do it, and write down what came of it.
  const connectionId = sender.providerConnectionId
  const states = await Promise.all(
    intent.handOffs.map(async (handOff) => {
      const result = await handOverInTime(delivery, ctx, { access, content, handOff, messages, intentAt })
      if (result === 'too_late') {
        await persistently(ctx.log, () =>
          ctx.tx((em) => putBack(em, key, { handOff, reason: 'too_late', dueAt: null })),
        )
        return 'pending'
      }
      await pausePoint(ctx, 'after_handoff')
      const state = await persistently(ctx.log, () =>
        ctx.tx((em) => settle(em, { key, handOff, connectionId, isTrial: intent.isTrial }, result)),
      )
      measures.transitions.inc({ state }, handOff.messageIds.length)
      return state
    }),
  )
  const claimedAll = intent.handOffs.reduce((sum, { messageIds }) => sum + messageIds.length, 0) >= eligible.length
  return !claimedAll || states.includes('pending')
}

/** Commits the intent. When nobody can say whether it was committed, nothing is handed off and what was claimed waits again. */
async function commit(ctx: Ctx, key: BatchKey, intended: Parameters<typeof commitIntent>[2]): Promise<Intent> {
  let claimed: IntendedHandOff[] = []
  try {
    return await ctx.tx(async (em) => {
      const made = await commitIntent(em, key, intended)
      claimed = made.kind === 'claimed' ? made.handOffs : []
      if (made.kind === 'claimed' && claimed.length === 0) await finishRun(em, key.workspaceId, key.runId)
      return made
    })
  } catch (error) {
    for (const handOff of claimed)
      await persistently(ctx.log, () =>
        ctx.tx((em) => putBack(em, key, { handOff, reason: 'intent_uncertain', dueAt: null })),
      )
    throw error
  }
}

interface HandOver {
  access: ProviderAccess
  content: MessageContent
  handOff: IntendedHandOff
  messages: ReadonlyMap<string, MessageRecipient>
  intentAt: number
}

/** One call, begun within 2 s of its intent by a clock that nobody sets, or none at all. */
async function handOverInTime(
  delivery: Delivery,
  ctx: Ctx,
  { access, content, handOff, messages, intentAt }: HandOver,
) {
  const recipients = handOff.messageIds.map((id) => messages.get(id)!)
  const elapsedMs = performance.now() - intentAt
  delivery.measures.intentSeconds.observe(elapsedMs / 1000)
  if (elapsedMs >= handOffWithinMs) return 'too_late'
  const started = performance.now()
  const result = await handOffMessages(access, content.form, recipients, {
    startWithinMs: handOffWithinMs - elapsedMs,
    timeoutMs: ctx.config.handOffTimeoutMs,
  })
  delivery.measures.handOffSeconds.observe((performance.now() - started) / 1000)
  delivery.measures.handOffs.inc({ result: result.kind })
  if (result.kind !== 'accepted')
    ctx.log.warn(
      { result, hand_off_id: handOff.id, recipients: recipients.length },
      'a hand-off was not simply accepted',
    )
  return result
}

/** Where the calls of a sender go, and with what key. Fault `unavailable` when this process has no such key. */
export function accessOf(ctx: Ctx, { region, credentialEnvKey, domainName }: ClearSender): ProviderAccess {
  const apiKey = ctx.config.credential(credentialEnvKey)
  if (apiKey === undefined)
    throw new Fault('unavailable', 'provider_credential', 'The provider connection has no credential.')
  return {
    apiKey,
    domain: domainName,
    baseUrl: region === 'eu' ? ctx.config.providerEuBaseUrl : ctx.config.providerUsBaseUrl,
  }
}

async function stop(work: Promise<unknown>): Promise<false> {
  await work
  return false
}
