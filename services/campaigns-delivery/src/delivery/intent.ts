import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { columns, held, sql, statement, type Em } from '@lettergate/database'
import { askPermissionLater, type SendingRoute } from '../connections/connection-hold.entity.ts'
import { endMessages } from '../messages/message-fact.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import { claim, routeOf, sizeOf, type Claim, type ConnectionLimits } from './claim.ts'
import type { BatchKey, ClaimedHandOff, HandOffMessage } from './hand-off.ts'
import { pendingIds } from './read-batch.ts'

/** Why a batch is postponed without any claim. */
export type Postponed = 'cooldown' | 'paced' | 'connection_full' | 'worker_full' | 'gates_changed' | 'verdicts_late'

export type Intent =
  /** `isWhole`: no eligible recipient is left in the batch */
  | { kind: 'claimed'; handOffs: ClaimedHandOff[]; isTrial: boolean; isWhole: boolean; skipped: number }
  | { kind: 'postponed'; why: Postponed }
  /** the verdicts are too old, or a recipient withdrew since; the caller must ask again */
  | { kind: 'outdated' }
  | { kind: 'stopped' }

/** A batch with a verdict for each recipient. */
export interface Intended {
  eligible: readonly HandOffMessage[]
  ineligible: readonly { id: string; reasons: string[] }[]
  judgedAt: string
  sender: SenderReadiness
  limits: ConnectionLimits
}

/** How long a batch waits before it is published again when its connection has no capacity. */
const postponedMs = 250

/**
 * Stores the intent to hand over a batch. The row lock of the batch lets one worker decide at a time. Only recipients who
 * are still pending are taken, and only while the run is being sent. Recipients who are not eligible, or got a message
 * within the minimum interval, are skipped with their reasons.
 */
export async function commitIntent(em: Em, key: BatchKey, intended: Intended): Promise<Intent> {
  const { workspaceId, runId, batch } = key
  const { sender, judgedAt, limits } = intended
  const { locked, permission, pending } = await readLocked(em, key, routeOf(workspaceId, sender))
  if (!locked) return { kind: 'stopped' }
  const messages = intended.eligible.filter(({ id }) => pending.has(id))
  const origin = { workspaceId, kind: 'run' as const, originId: runId, batch }
  const claimed: Claim =
    messages.length === 0
      ? { kind: 'claimed', handOffs: [], isTrial: false, tooSoon: new Set() }
      : await claim(em, {
          ...origin,
          messages,
          sender,
          permission,
          judgedAt,
          limits,
          isSingles: locked.is_singles,
          resentRunId: locked.resends_run_id,
        })
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

const lockOpen = statement('lock-open-batch', {
  ...columns(DeliveryBatch, 'is_singles'),
  ...columns(CampaignRun, 'resends_run_id'),
})

/**
 * Locks the batch, then reads whether its route may be called and who is pending. The three statements are sent together, and
 * each one sees what was committed before it began.
 */
async function readLocked(em: Em, key: BatchKey, route: SendingRoute) {
  const locked = await lockBatch(em, key)
  const permission = await askPermissionLater(em, route)
  const pending = await pendingIds(em, key)
  return { locked: await locked(), permission: await permission(), pending }
}

/** Answers undefined when the run is not being sent or the batch is done. Waits for a worker that holds the lock. */
const lockBatch = (em: Em, { workspaceId, runId, batch }: BatchKey) =>
  lockOpen.rowLater(
    em,
    sql`select b.is_singles, r.resends_run_id from campaign_runs r join delivery_batches b on b.workspace_id = r.workspace_id and b.run_id = r.id
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.batch = ${batch} and b.done_at is null
           for share of r for update of b`,
  )

const postpone = statement('postpone-batch')

/** Releases a batch to be published again after this many milliseconds. Its recipients stay pending. */
export async function postponeBatch(em: Em, { workspaceId, runId, batch }: BatchKey, ms = postponedMs): Promise<void> {
  await postpone.execute(
    em,
    sql`update delivery_batches set published_at = null, due_at = greatest(due_at, clock_timestamp() + ${ms} * interval '1 ms')
         where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch} and done_at is null`,
  )
}

const close = statement('close-batch')

/** Marks a batch without pending recipients as done. The caller holds its lock. */
async function closeBatch(em: Em, { workspaceId, runId, batch }: BatchKey): Promise<void> {
  await close.execute(
    em,
    held(
      sql`update delivery_batches set done_at = now() where workspace_id = ${workspaceId} and run_id = ${runId} and batch = ${batch}`,
    ),
  )
}
