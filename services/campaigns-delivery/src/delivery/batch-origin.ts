import { columns, held, sql, statement, type Em } from '@lettergate/database'
import { noErasures } from '../contacts/erased-contact.entity.ts'
import { askPermissionLater, type SendingRoute } from '../connections/connection-hold.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import { finishRun } from '../runs/finish-run.ts'
import { sizeOf, type ConnectionLimits } from './claim.ts'
import type { BatchKey } from './hand-off.ts'
import type { IntentOrigin, LockedMessages } from './origin.ts'
import { pendingIds } from './read-batch.ts'

/** How long a batch waits before it is published again when its connection has no capacity. */
const postponedMs = 250

/**
 * Intents for a batch of a run. The row lock of the batch lets one worker decide at a time, and only while the run is being
 * sent.
 */
export const batchOrigin = (key: BatchKey, limits: ConnectionLimits): IntentOrigin => ({
  kind: 'run',
  originId: key.runId,
  limits,
  lock: (em, route) => lockBatch(em, key, route),
  postpone: (em) => postponeBatch(em, key),
  async store(em, { handOffs, skipped, pending }) {
    if (sizeOf(handOffs) + skipped === pending) await closeBatch(em, key)
    if (handOffs.length === 0) await finishRun(em, key.workspaceId, key.runId)
  },
})

const lockOpen = statement('lock-open-batch', {
  ...columns(DeliveryBatch, 'is_singles'),
  ...columns(CampaignRun, 'resends_run_id'),
})

/**
 * Locks the batch, then reads whether its route may be called and who is pending. The three statements are sent together, and
 * each one sees what was committed before it began. Undefined when the run is not being sent or the batch is done. Waits for a
 * worker that holds the lock. An erasure waits for the intent, so that it finds the messages; the claim sees an earlier one.
 */
async function lockBatch(em: Em, key: BatchKey, route: SendingRoute): Promise<LockedMessages | undefined> {
  const { workspaceId, runId, batch } = key
  const lock = await lockOpen.rowLater(
    em,
    sql`select b.is_singles, r.resends_run_id from campaign_runs r join delivery_batches b on b.workspace_id = r.workspace_id and b.run_id = r.id
              cross join lateral (select ${noErasures(workspaceId)}) erasures
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.batch = ${batch} and b.done_at is null
           for share of r for update of b`,
  )
  const permission = await askPermissionLater(em, route)
  const pending = await pendingIds(em, key)
  const locked = await lock()
  if (!locked) return undefined
  const { is_singles: isSingles, resends_run_id: resentRunId } = locked
  return { batch, pending, isSingles, resentRunId, permission: await permission() }
}

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
