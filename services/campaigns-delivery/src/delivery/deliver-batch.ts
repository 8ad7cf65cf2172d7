import { execute, sql } from '@lettergate/database'
import { systemCaller, type CallScope } from '@lettergate/service'
import { SpanKind, traced } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { Line } from '../db/connection-holds.ts'
import type { CallsUnderWay } from './calls-under-way.ts'
import { accessOf, handOver, type ClearSender } from './hand-over.ts'
import { failRun, holdRun } from './hold-run.ts'
import {
  commitIntent,
  lineOf,
  postponeBatch,
  type BatchKey,
  type IntendedHandOff,
  type Intent,
  type LineLimits,
  type Postponed,
} from './intent.ts'
import type { Measures } from './measures.ts'
import { messagesFor, type MessageContent } from './message-content.ts'
import { pausePoint } from './pause-point.ts'
import { persistently } from './persistently.ts'
import { readBatch, type PendingBatch } from './read-batch.ts'
import { finishRun, putBack } from './settle.ts'
import type { Standings } from './standing.ts'

/** What the worker's loop gives to each batch. */
export interface Delivery {
  ctxOf: (scope: CallScope) => Ctx
  standings: Standings
  contentOf: (ctx: Ctx, contentVersionId: string, sender: ClearSender) => Promise<MessageContent>
  calls: CallsUnderWay
  limits: LineLimits
  measures: Measures
}

/**
 * Delivers what waits in one batch: check, ask about the people, commit the intent, hand off, settle. Whatever it cannot do
 * now stays pending and is published again; whatever may have happened is never done twice. `onCalling` hears that all that
 * is left is to wait for the provider.
 */
export async function deliverBatch(delivery: Delivery, key: BatchKey, onCalling: () => void): Promise<void> {
  const asking = ctxOf(delivery, key.workspaceId, key.runId)
  const work = await asking.tx((em) => readBatch(em, key))
  if (!work) return
  const ctx = ctxOf(delivery, key.workspaceId, work.run.correlation_id)
  const attributes = { 'lettergate.run.id': key.runId, 'lettergate.batch': key.batch }
  await traced('deliver batch', { kind: SpanKind.CONSUMER, parent: work.run.trace, attributes }, () =>
    admit(delivery, ctx, { key, work, onCalling }),
  )
}

const ctxOf = ({ ctxOf: make }: Delivery, workspaceId: string, correlationId: string): Ctx =>
  make({
    caller: { ...systemCaller('deliver', correlationId), workspaceId },
    deadline: Infinity,
    signal: new AbortController().signal,
  })

interface Batch {
  key: BatchKey
  work: PendingBatch
  onCalling: () => void
}

/** 1. Is this run allowed to send, and is there room for another call? */
async function admit(delivery: Delivery, ctx: Ctx, batch: Batch): Promise<void> {
  const { key, work } = batch
  const { workspaceId, runId } = key
  const standing = await delivery.standings.of(ctx, work.run.sender_identity_id)
  if (standing.kind === 'held') return ctx.tx((em) => holdRun(em, workspaceId, runId, standing.by))
  if (standing.kind === 'gone') return ctx.tx((em) => failRun(em, workspaceId, runId, standing.reason))
  const { sender } = standing
  const line = lineOf(workspaceId, sender)
  await learnLine(ctx, work, runId, line)
  if (work.calls >= delivery.limits.atOnce) return postpone(delivery, ctx, key, 'connection_full')
  const leave = delivery.calls.enter(workspaceId, line.connectionId)
  if (!leave) return postpone(delivery, ctx, key, 'worker_full')
  try {
    await deliver(delivery, ctx, batch, sender)
  } finally {
    leave()
  }
}

/** The publisher asks the rests and calls of the connection that a run used last. */
async function learnLine(ctx: Ctx, { run }: PendingBatch, runId: string, line: Line): Promise<void> {
  const { workspaceId, connectionId, domainName } = line
  if (run.connection_id === connectionId && run.domain_name === domainName) return
  await ctx.tx((em) =>
    execute(
      em,
      sql`update campaign_runs set connection_id = ${connectionId}, domain_name = ${domainName}
           where workspace_id = ${workspaceId} and id = ${runId} and (connection_id, domain_name) is distinct from (${connectionId}::uuid, ${domainName}::text)`,
    ),
  )
}

async function postpone({ measures }: Delivery, ctx: Ctx, key: BatchKey, why: Postponed): Promise<void> {
  measures.postponed.inc({ why })
  await ctx.tx((em) => postponeBatch(em, key))
}

/** The steps after the first. */
async function deliver(
  delivery: Delivery,
  ctx: Ctx,
  { key, work, onCalling }: Batch,
  sender: ClearSender,
): Promise<void> {
  const { measures, limits } = delivery
  const access = accessOf(ctx, sender)

  // 2. Are these people?
  const content = await delivery.contentOf(ctx, work.run.content_version_id, sender)
  const { messages, ineligible } = messagesFor(await askAbout(ctx, work, content.tokens), content.compiled)
  const eligible = [...messages.keys()]

  // 3. Write down what is about to happen.
  const intentAt = performance.now()
  const intended = { eligible, ineligible, judgedAt: work.judgedAt, sender, isSingles: work.isSingles, limits }
  const intent = await commit(ctx, key, intended)
  if (intent.kind === 'postponed') measures.postponed.inc({ why: intent.why })
  if (intent.kind !== 'claimed') return
  measures.transitions.inc({ state: 'skipped' }, intent.skipped)
  measures.transitions.inc(
    { state: 'claimed' },
    intent.handOffs.reduce((sum, { messageIds }) => sum + messageIds.length, 0),
  )
  if (intent.handOffs.length > 0) await pausePoint(ctx, 'after_intent')

  // 4 and 5. Do it, and write down what came of it.
  onCalling()
  const line = lineOf(key.workspaceId, sender)
  await Promise.all(
    intent.handOffs.map((handOff) =>
      handOver(measures, ctx, { key, handOff, line, isTrial: intent.isTrial }, { access, content, messages, intentAt }),
    ),
  )
  if (!intent.isWhole) await ctx.tx((em) => postponeBatch(em, key, intent.handOffs.length > 0 ? 0 : undefined))
}

/** What contacts-consent says of everybody who waits, right now. */
async function askAbout(ctx: Ctx, { recipients }: PendingBatch, tokens: string[]) {
  const questions = recipients.map(({ contact_id, audience_id }) => ({
    contactId: contact_id,
    audienceId: audience_id,
  }))
  const { recipients: answers } =
    questions.length === 0
      ? { recipients: [] }
      : await ctx.contacts.prepareRecipients(ctx, { recipients: questions, tokens }, { timeoutMs: 10_000 })
  if (
    answers.length !== questions.length ||
    answers.some((answer, index) => answer.contactId !== questions[index]!.contactId)
  ) {
    throw new Error('contacts-consent answered about other people than it was asked about')
  }
  return recipients.map(({ id }, index) => ({ id, person: answers[index]! }))
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
