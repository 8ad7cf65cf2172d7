import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { Fault } from '@lettergate/fault'
import { exemplar } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import type { MessagesAccess } from '../provider/mailgun/mailgun.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import type { MessageRecipient, PreparedForm } from '../provider/mailgun/message-form.ts'
import type { HandOffKind } from './hand-off.entity.ts'
import { isCommittedLate, startWithinMs, type CallTimes, type ClaimedHandOff } from './hand-off.ts'
import { pausePoint } from './pause-point.ts'
import { retryWrite } from './retry-write.ts'
import { putBackUncalled } from './put-back-uncalled.ts'
import { settle, type HandOffCall, type SettledState } from './settle.ts'

/** Everything that the call needs. */
export interface PreparedCall extends CallTimes {
  access: MessagesAccess
  form: PreparedForm
  messages: ReadonlyMap<string, MessageRecipient>
  /** false once a change of the gates, the workspace or the sender was received */
  isCurrent: () => boolean
}

/**
 * Makes the call of a committed intent and stores the result. If the call may no longer start, also because a gate changed
 * while the worker connected, puts the messages back instead.
 */
export async function handOver(ctx: Ctx, call: HandOffCall, prepared: PreparedCall): Promise<SettledState> {
  const { handOff } = call
  const notStarted = whyNotStarted(ctx, handOff, prepared)
  if (notStarted !== undefined) {
    await putBackUncalled(ctx, call, notStarted)
    return 'pending'
  }
  const result = await callProvider(ctx, handOff, prepared)
  if (result === 'gates_changed') {
    await putBackUncalled(ctx, call, result)
    return 'pending'
  }
  await pausePoint(ctx, 'after_handoff')
  const state = await retryWrite(ctx.log, () => ctx.tx((em) => settle(em, ctx.origins, call, result)))
  ctx.metrics.transitions.inc({ state }, handOff.messages.length)
  return state
}

/**
 * Returns why the call may not start: its intent or its verdicts are too old by a monotonic clock, or a gate changed.
 * Otherwise undefined. A test send would fail for good, so for it neither a slow commit nor a change after the intent counts.
 */
function whyNotStarted(ctx: Ctx, { kind }: ClaimedHandOff, prepared: PreparedCall): string | undefined {
  const now = performance.now()
  ctx.metrics.intentSeconds.observe((now - prepared.intentAt) / 1000)
  if (startWithinMs(prepared, now) <= 0) return 'too_late'
  if (ctx.origins[kind].isTriedAgain && isCommittedLate(prepared)) return 'too_late'
  return isStillAllowed(ctx, kind, prepared) ? undefined : 'gates_changed'
}

const isStillAllowed = ({ origins }: Ctx, kind: HandOffKind, { isCurrent }: PreparedCall): boolean =>
  !origins[kind].isTriedAgain || isCurrent()

/** Makes the call. `gates_changed`: a gate changed before the first byte, and nothing was sent. */
async function callProvider(
  ctx: Ctx,
  handOff: ClaimedHandOff,
  prepared: PreparedCall,
): Promise<HandOffResult | 'gates_changed'> {
  const { access, form, messages, judgedAt } = prepared
  const recipients = handOff.messages.map(({ id }) => messages.get(id)!)
  const started = performance.now()
  let isStopped = false
  const result = await ctx.handOffMessages(access, form, recipients, {
    startWithinMs: startWithinMs(prepared, started),
    timeoutMs: ctx.config.handOffTimeoutMs,
    mayStart() {
      isStopped = !isStillAllowed(ctx, handOff.kind, prepared)
      return !isStopped
    },
    onStarted: () => ctx.metrics.observeVerdictAge((performance.now() - judgedAt) / 1000),
  })
  if (isStopped) return 'gates_changed'
  const seconds = (performance.now() - started) / 1000
  ctx.metrics.handOffSeconds.observe({ value: seconds, exemplarLabels: exemplar() })
  ctx.metrics.handOffs.inc({ kind: handOff.kind, result: result.kind })
  if (result.kind !== 'accepted')
    ctx.log.warn(
      { result, hand_off_id: handOff.id, kind: handOff.kind, recipients: recipients.length },
      'a hand-off was not accepted',
    )
  return result
}

/** Returns the provider address and credential for a sender. Fault `unavailable` when this process has no such credential. */
export function accessOf(ctx: Ctx, { region, credentialEnvKey, domainName }: SenderReadiness): MessagesAccess {
  const apiKey = ctx.config.credential(credentialEnvKey)
  if (apiKey === undefined)
    throw new Fault('unavailable', 'provider_credential', 'The provider connection has no credential.')
  return {
    apiKey,
    domain: domainName,
    baseUrl: region === 'eu' ? ctx.config.providerEuBaseUrl : ctx.config.providerUsBaseUrl,
  }
}
