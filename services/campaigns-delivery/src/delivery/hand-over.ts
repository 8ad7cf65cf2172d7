import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { handOffMessages, type ProviderAccess } from '../provider/mailgun/mailgun.ts'
import type { MessageRecipient } from '../provider/mailgun/message-form.ts'
import type { IntendedHandOff } from './intent.ts'
import type { Measures } from './measures.ts'
import type { MessageContent } from './message-content.ts'
import { pausePoint } from './pause-point.ts'
import { persistently } from './persistently.ts'
import { putBack, settle, type Answered } from './settle.ts'
import type { Standing } from './standing.ts'

export type ClearSender = Extract<Standing, { kind: 'clear' }>['sender']

/** A hand-off that has not begun this long after its intent was committed does not begin at all. */
const handOffWithinMs = 2_000

/** What a call is made of. */
export interface Prepared {
  access: ProviderAccess
  content: MessageContent
  messages: ReadonlyMap<string, MessageRecipient>
  intentAt: number
}

/** Makes one call whose intent was committed, or none when that was too long ago, and writes down what came of it. */
export async function handOver(measures: Measures, ctx: Ctx, intended: Answered, prepared: Prepared): Promise<void> {
  const { key, handOff } = intended
  const result = await callInTime(measures, ctx, handOff, prepared)
  if (result === 'too_late')
    return persistently(ctx.log, () => ctx.tx((em) => putBack(em, key, { handOff, reason: 'too_late', dueAt: null })))
  await pausePoint(ctx, 'after_handoff')
  const state = await persistently(ctx.log, () => ctx.tx((em) => settle(em, intended, result)))
  measures.transitions.inc({ state }, handOff.messageIds.length)
}

/** One call, begun within 2 s of its intent by a clock that nobody sets, or none at all. */
async function callInTime(
  measures: Measures,
  ctx: Ctx,
  handOff: IntendedHandOff,
  { access, content, messages, intentAt }: Prepared,
) {
  const recipients = handOff.messageIds.map((id) => messages.get(id)!)
  const elapsedMs = performance.now() - intentAt
  measures.intentSeconds.observe(elapsedMs / 1000)
  if (elapsedMs >= handOffWithinMs) return 'too_late'
  const started = performance.now()
  const result = await handOffMessages(access, content.form, recipients, {
    startWithinMs: handOffWithinMs - elapsedMs,
    timeoutMs: ctx.config.handOffTimeoutMs,
  })
  measures.handOffSeconds.observe((performance.now() - started) / 1000)
  measures.handOffs.inc({ result: result.kind })
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
