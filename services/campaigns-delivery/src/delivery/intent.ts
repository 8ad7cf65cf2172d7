import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import type { Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { endMessages } from '../messages/message-fact.entity.ts'
import { claim, routeOf, sizeOf, type Claim } from './claim.ts'
import type { ClaimedHandOff, HandOffMessage } from './hand-off.ts'
import type { IntentOrigin, LockedMessages, Postponed } from './origin.ts'
import { putBackUncalled } from './put-back-uncalled.ts'
import { waitForEnd } from './wait-for-end.ts'

/** Messages with a verdict for each. */
export interface Intended {
  eligible: readonly HandOffMessage[]
  ineligible: readonly { id: string; reasons: string[] }[]
  /** database time before the verdicts were requested */
  judgedAt: string
  sender: SenderReadiness
  /** false once a change of the gates, the workspace or the sender was received */
  isCurrent: () => boolean
}

interface StoredHandOffs {
  handOffs: ClaimedHandOff[]
  isTrial: boolean
  /** of the database, if there are hand-offs */
  transactionId?: string | undefined
}

export type Intent =
  /** `isWhole`: no eligible message is left. `isSingles`: one recipient in each call */
  | (StoredHandOffs & { kind: 'claimed'; isWhole: boolean; isSingles: boolean; skipped: number })
  /** `until`: the end of the cooldown */
  | { kind: 'postponed'; why: Postponed; until?: Date }
  /** the verdicts are too old, or a recipient withdrew or a gate changed since; the caller must ask again. Nothing was stored. */
  | { kind: 'outdated' }
  /** none of the messages may be sent any more. Nothing was stored. */
  | { kind: 'stopped' }

/** Ends the transaction of an intent that stores nothing. */
class NothingStored extends Error {
  override name = 'NothingStored'
  readonly intent: Intent

  constructor(intent: Intent) {
    super(`an intent was not stored: ${intent.kind}`)
    this.intent = intent
  }
}

/**
 * Stores the intent to hand over these messages, for a run, a test send or an automation alike. Only messages that are still
 * pending are taken. Recipients who are not eligible, or got a message within the minimum interval, are skipped with their
 * reasons. If it is uncertain whether the commit succeeded, nothing is handed over and the claimed messages are put back.
 */
export async function commitIntent(ctx: Ctx, origin: IntentOrigin, intended: Intended): Promise<Intent> {
  let claimed: StoredHandOffs = { handOffs: [], isTrial: false }
  try {
    return await ctx.tx(async (em) => {
      claimed = { handOffs: [], isTrial: false }
      const intent = await storeIntent(em, ctx.workspaceId, origin, intended)
      if (intent.kind === 'claimed') claimed = intent
      return intent
    })
  } catch (error) {
    if (error instanceof NothingStored) return error.intent
    const { handOffs, isTrial, transactionId } = claimed
    const route = routeOf(ctx.workspaceId, intended.sender)
    if (transactionId !== undefined) await waitForEnd(ctx, transactionId)
    for (const handOff of handOffs) await putBackUncalled(ctx, { handOff, route, isTrial }, 'intent_uncertain')
    throw error
  }
}

async function storeIntent(em: Em, workspaceId: string, origin: IntentOrigin, intended: Intended): Promise<Intent> {
  const { eligible, ineligible, sender, judgedAt, isCurrent } = intended
  const { kind, originId, limits } = origin
  const locked = await origin.lock(em, routeOf(workspaceId, sender), eligible)
  if (!locked) throw new NothingStored({ kind: 'stopped' })
  const { pending, ended = [] } = locked
  const over = new Set(ended.map(({ id }) => id))
  const messages = eligible.filter(({ id }) => pending.has(id) && !over.has(id))
  const claimed: Claim =
    messages.length === 0
      ? { kind: 'claimed', handOffs: [], isTrial: false, tooSoon: new Set() }
      : await claim(em, { ...locked, workspaceId, kind, originId, limits, messages, sender, judgedAt })
  // Checked last, because the locks above may have waited.
  if (claimed.kind === 'outdated' || !isCurrent()) throw new NothingStored({ kind: 'outdated' })
  const tooSoon = claimed.kind === 'claimed' ? [...claimed.tooSoon] : []
  const skipped = [
    ...ineligible.filter(({ id }) => pending.has(id)),
    ...ended,
    ...tooSoon.map((id) => ({ id, reasons: ['minimum_interval_not_elapsed'] })),
  ]
  const store = () =>
    endMessages(
      em,
      { workspaceId, originId },
      skipped.map(({ id, reasons }) => ({ id, end: 'skipped', reasons })),
    )
  if (claimed.kind !== 'claimed') {
    const until = claimed.kind === 'cooldown' ? { until: claimed.until } : {}
    const postponed = await postpone(em, origin, { kind: 'postponed', why: claimed.kind, ...until })
    await store()
    return postponed
  }
  await store()
  const { handOffs, isTrial, transactionId } = claimed
  const { isSingles } = locked
  await origin.store(em, { handOffs, skipped: skipped.length, isSingles, ...batchesAfter(locked, handOffs, skipped) })
  const isWhole = sizeOf(handOffs) + tooSoon.length === messages.length
  return { kind: 'claimed', handOffs, isTrial, isSingles, transactionId, isWhole, skipped: skipped.length }
}

/** `done`: the locked batches of which every pending message was claimed or ended. */
function batchesAfter(
  { batches, pending }: LockedMessages,
  handOffs: readonly ClaimedHandOff[],
  ended: readonly { id: string }[],
): { done: number[]; open: number[] } {
  const left = new Map(pending)
  for (const { id } of ended) left.delete(id)
  for (const { messages } of handOffs) for (const { id } of messages) left.delete(id)
  const open = new Set(left.values())
  return { done: batches.filter((batch) => !open.has(batch)), open: [...open] }
}

async function postpone(em: Em, origin: IntentOrigin, intent: Extract<Intent, { kind: 'postponed' }>): Promise<Intent> {
  if (!origin.postpone) throw new NothingStored(intent)
  await origin.postpone(em)
  return intent
}
