import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { execute, held, prepared, row, sql, type Em } from '@lettergate/database'
import { endMessages } from '../messages/message-fact.entity.ts'
import { claim, sizeOf, type Claim, type ConnectionLimits } from './claim.ts'
import type { BatchKey, HandOff, HandOffMessage } from './hand-off.ts'
import { pendingRecipients } from './read-batch.ts'

/** Why a batch goes back without anybody having been claimed. */
export type Postponed = 'cooldown' | 'paced' | 'connection_full' | 'worker_full' | 'gates_changed' | 'verdicts_late'

export type Intent =
  /** `isWhole`: nobody who may be mailed is left in the batch */
  | { kind: 'claimed'; handOffs: HandOff[]; isTrial: boolean; isWhole: boolean; skipped: number }
  | { kind: 'postponed'; why: Postponed }
  /** the verdicts are too old, or somebody was heard to refuse since: whoever asked asks again */
  | { kind: 'outdated' }
  | { kind: 'stopped' }

/** A batch of which everybody was asked about. */
export interface Intended {
  eligible: readonly HandOffMessage[]
  ineligible: readonly { id: string; reasons: string[] }[]
  judgedAt: string
  sender: SenderReadiness
  limits: ConnectionLimits
}

/** Until a batch whose connection has no room is published again, by whoever then sees room. */
const postponedMs = 250

/**
 * Writes down what is about to be handed to the provider. The batch's row is the lock: one worker at a time decides about its
 * people. Takes only those who are still pending, in a run that is still being sent. Who is not eligible, or was reached
 * within the interval of the audience, is skipped with the reasons.
 */
export async function commitIntent(em: Em, key: BatchKey, intended: Intended): Promise<Intent> {
  const { workspaceId, runId, batch } = key
  const { sender, judgedAt, limits } = intended
  const locked = await lockBatch(em, key)
  if (!locked) return { kind: 'stopped' }
  const pending = new Set((await pendingRecipients(em, key)).map(({ id }) => id))
  const messages = intended.eligible.filter(({ id }) => pending.has(id))
  const origin = { workspaceId, kind: 'run' as const, originId: runId, batch }
  const claimed: Claim =
    messages.length === 0
      ? { kind: 'claimed', handOffs: [], isTrial: false, tooSoon: new Set() }
      : await claim(em, { ...origin, messages, sender, judgedAt, limits, isSingles: locked.is_singles })
  if (claimed.kind === 'outdated') return claimed
  if (claimed.kind !== 'claimed') await postponeBatch(em, key)
  const tooSoon = claimed.kind === 'claimed' ? [...claimed.tooSoon] : []
  const skipped = [
    ...intended.ineligible.filter(({ id }) => pending.has(id)),
    ...tooSoon.map((id) => ({ id, reasons: ['minimum_interval_not_elapsed'] })),
  ]
  await endMessages(
    em,
    { workspaceId, originId: runId },
    skipped.map(({ id, reasons }) => ({ id, end: 'skipped', reasons })),
  )
  if (claimed.kind !== 'claimed') return { kind: 'postponed', why: claimed.kind }
  const { handOffs, isTrial } = claimed
  const decided = sizeOf(handOffs) + skipped.length
  if (decided === pending.size) await closeBatch(em, key)
  const isWhole = sizeOf(handOffs) + tooSoon.length === messages.length
  return { kind: 'claimed', handOffs, isTrial, isWhole, skipped: skipped.length }
}

/** Undefined when the run is not being sent, or the batch is done. Waits for another worker that decides about it. */
function lockBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<{ is_singles: boolean } | undefined> {
  return row(
    em,
    prepared(sql`select b.is_singles from campaign_runs r join delivery_batches b on b.workspace_id = r.workspace_id and b.run_id = r.id
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.batch = ${batch} and b.done_at is null
           for share of r for update of b`),
  )
}

/** Gives a batch back to be published again, not before so many milliseconds. Its people wait. */
export async function postponeBatch(em: Em, { workspaceId, runId, batch }: BatchKey, ms = postponedMs): Promise<void> {
  await execute(
    em,
    sql`update delivery_batches set published_at = null, due_at = greatest(due_at, clock_timestamp() + ${ms} * interval '1 ms')
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and done_at is null`,
  )
}

/** A batch in which nobody is pending is done; whoever calls has its lock. */
async function closeBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<void> {
  await execute(
    em,
    held(
      sql`update delivery_batches set done_at = now() where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch}`,
    ),
  )
}
