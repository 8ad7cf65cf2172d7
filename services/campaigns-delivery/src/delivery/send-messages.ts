import type { Ctx } from '../ctx.ts'
import type { MessageRecipient, PreparedForm } from '../provider/mailgun/message-form.ts'
import { routeOf, sizeOf } from './claim.ts'
import { accessOf, handOver } from './hand-over.ts'
import { commitIntent, type Intended, type Intent } from './intent.ts'
import type { IntentOrigin } from './origin.ts'
import { pausePoint } from './pause-point.ts'
import type { SettledState } from './settle.ts'

/** Messages with their verdicts and their content. */
export interface PreparedMessages extends Omit<Intended, 'judgedAt'> {
  form: PreparedForm
  messages: ReadonlyMap<string, MessageRecipient>
  judged: JudgedAt
}

/** The time before verdicts were requested, by the clock of the database and by `performance.now()`. */
export interface JudgedAt {
  databaseTime: string
  ms: number
}

export type Sent =
  | Exclude<Intent, { kind: 'claimed' }>
  /** `results`: of each call, in the order of `handOffs` */
  | (Extract<Intent, { kind: 'claimed' }> & { results: SettledState[] })

/**
 * Hands these messages over, whatever they are sent for: commits the intent, makes its calls, and stores their results. A
 * hand-off that may have happened is never repeated. Calls `onCalling` when only the provider's answer is awaited.
 */
export async function sendMessages(
  ctx: Ctx,
  origin: IntentOrigin,
  { judged, form, messages, ...intended }: PreparedMessages,
  onCalling: () => void = () => undefined,
): Promise<Sent> {
  const { sender, isCurrent } = intended
  const access = accessOf(ctx, sender)
  const intentAt = performance.now()
  const intent = await commitIntent(ctx, origin, { ...intended, judgedAt: judged.databaseTime })
  if (intent.kind !== 'claimed') return intent
  const { handOffs, isTrial, skipped } = intent
  ctx.metrics.transitions.inc({ state: 'skipped' }, skipped)
  ctx.metrics.transitions.inc({ state: 'claimed' }, sizeOf(handOffs))
  if (handOffs.length > 0) await pausePoint(ctx, 'after_intent')

  onCalling()
  const route = routeOf(ctx.workspaceId, sender)
  const prepared = { access, form, messages, intentAt, judgedAt: judged.ms, isCurrent }
  const results = await Promise.all(handOffs.map((handOff) => handOver(ctx, { handOff, route, isTrial }, prepared)))
  return { ...intent, results }
}
