import type { Ctx } from '../ctx.ts'
import type { MessageRecipient, PreparedForm } from '../provider/mailgun/message-form.ts'
import { routeOf, sizeOf } from './claim.ts'
import { accessOf, handOver } from './hand-over.ts'
import { commitIntent, type Intended, type Intent } from './intent.ts'
import type { IntentOrigin } from './origin.ts'
import { pausePoint } from './pause-point.ts'
import type { SettledState } from './settle.ts'

/** Messages with their verdicts and their content. */
export interface JudgedMessages extends Omit<Intended, 'judgedAt'> {
  form: PreparedForm
  messages: ReadonlyMap<string, MessageRecipient>
  judged: JudgedAt
}

/** The time before verdicts were requested, by the clock of the database and by `performance.now()`. */
export interface JudgedAt {
  databaseTime: string
  ms: number
}

/**
 * Checks gates and sender, requests the verdicts and builds the messages; undefined when none is to be sent now. It is called
 * again when the verdicts expired before the intent.
 */
export type Judge = () => Promise<JudgedMessages | undefined>

export type Sent =
  | Exclude<Intent, { kind: 'claimed' | 'outdated' }>
  /** `results`: of each call, in the order of `handOffs` */
  | (Extract<Intent, { kind: 'claimed' }> & { results: SettledState[] })

/** How often messages are judged before they wait because their verdicts keep expiring. */
const judgementsMax = 3

/**
 * Hands messages over, whatever they are sent for: judges them, commits the intent, makes its calls, and stores their results.
 * A hand-off that may have happened is never repeated. Calls `onCalling` when only the provider's answer is awaited.
 */
export async function sendMessages(
  ctx: Ctx,
  origin: IntentOrigin,
  judge: Judge,
  onCalling: () => void = () => undefined,
): Promise<Sent> {
  for (let judgements = 1; judgements <= judgementsMax; judgements += 1) {
    if (judgements > 1) ctx.metrics.rejudged.inc()
    const judged = await judge()
    if (!judged) return { kind: 'stopped' }
    const sent = await sendJudged(ctx, origin, judged, onCalling)
    if (sent.kind !== 'outdated') return sent
  }
  const { postpone } = origin
  if (postpone) await ctx.tx((em) => postpone(em))
  return { kind: 'postponed', why: 'verdicts_late' }
}

async function sendJudged(
  ctx: Ctx,
  origin: IntentOrigin,
  { judged, form, messages, ...intended }: JudgedMessages,
  onCalling: () => void,
): Promise<Sent | { kind: 'outdated' }> {
  const { sender, isCurrent } = intended
  const access = accessOf(ctx, sender)
  const intentAt = performance.now()
  const intent = await commitIntent(ctx, origin, { ...intended, judgedAt: judged.databaseTime })
  if (intent.kind !== 'claimed') return intent
  const committedAt = performance.now()
  const { handOffs, isTrial, skipped } = intent
  ctx.metrics.transitions.inc({ state: 'skipped' }, skipped)
  ctx.metrics.transitions.inc({ state: 'claimed' }, sizeOf(handOffs))
  if (handOffs.length > 0) await pausePoint(ctx, 'after_intent')

  onCalling()
  const route = routeOf(ctx.workspaceId, sender)
  const prepared = { access, form, messages, intentAt, committedAt, judgedAt: judged.ms, isCurrent }
  const calls = await Promise.allSettled(
    handOffs.map((handOff) => handOver(ctx, { handOff, route, isTrial }, prepared)),
  )
  const results = calls.map((call) => {
    if (call.status === 'rejected') throw call.reason
    return call.value
  })
  return { ...intent, results }
}
