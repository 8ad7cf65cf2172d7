import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import type { Standing } from '../gates/standing.ts'
import { handOffMessages, type ProviderAccess } from '../provider/mailgun/mailgun.ts'
import type { MessageRecipient, PreparedForm } from '../provider/mailgun/message-form.ts'
import { handOffWithinMs, type HandOff } from './hand-off.ts'
import { pausePoint } from './pause-point.ts'
import { persistently } from './persistently.ts'
import { putBack } from './put-back.ts'
import { settle, type Answered, type Settled } from './settle.ts'

export type ClearSender = Extract<Standing, { kind: 'clear' }>['sender']

/** What a call is made of. */
export interface Prepared {
  access: ProviderAccess
  form: PreparedForm
  messages: ReadonlyMap<string, MessageRecipient>
  /** performance.now() before the intent was committed */
  intentAt: number
  /** performance.now() before anybody was asked about these people */
  judgedAt: number
  /** whether everything that was asked of gates, workspace and sender still stands, as far as was heard */
  isCurrent: () => boolean
}

/** Makes one call whose intent was committed, or none when that may no longer be, and writes down what came of it. */
export async function handOver(ctx: Ctx, intended: Answered, prepared: Prepared): Promise<Settled> {
  const { handOff } = intended
  const never = whyNever(ctx, prepared)
  if (never !== undefined) {
    await persistently(ctx.log, () => ctx.tx((em) => putBack(em, ctx.origins, handOff, { reason: never, dueAt: null })))
    return 'pending'
  }
  const result = await call(ctx, handOff, prepared)
  await pausePoint(ctx, 'after_handoff')
  const state = await persistently(ctx.log, () => ctx.tx((em) => settle(em, ctx.origins, intended, result)))
  ctx.measures.transitions.inc({ state }, handOff.messages.length)
  return state
}

/** A call begins within 2 s of its intent, by a clock that nobody sets, and under what was heard of gates until then, or not at all. */
function whyNever({ measures }: Ctx, { intentAt, judgedAt, isCurrent }: Prepared): string | undefined {
  const now = performance.now()
  measures.intentSeconds.observe((now - intentAt) / 1000)
  if (now - intentAt >= handOffWithinMs) return 'too_late'
  if (!isCurrent()) return 'gates_changed'
  measures.verdictWas((now - judgedAt) / 1000)
  return undefined
}

async function call(ctx: Ctx, handOff: HandOff, prepared: Prepared) {
  const { access, form, messages, intentAt } = prepared
  const recipients = handOff.messages.map(({ id }) => messages.get(id)!)
  const started = performance.now()
  const result = await handOffMessages(access, form, recipients, {
    startWithinMs: handOffWithinMs - (started - intentAt),
    timeoutMs: ctx.config.handOffTimeoutMs,
  })
  ctx.measures.handOffSeconds.observe((performance.now() - started) / 1000)
  ctx.measures.handOffs.inc({ result: result.kind })
  if (result.kind !== 'accepted')
    ctx.log.warn(
      { result, hand_off_id: handOff.id, kind: handOff.kind, recipients: recipients.length },
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
