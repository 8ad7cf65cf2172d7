import { columns, held, sql, statement, unplanned, type Em } from '@lettergate/database'
import { noErasures } from '../contacts/erased-contact.entity.ts'
import { askPermissionLater, type SendingRoute } from '../connections/connection-hold.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import type { ConnectionLimits } from './claim.ts'
import type { BatchGroup } from './hand-off.ts'
import type { IntentOrigin, LockedMessages } from './origin.ts'
import { pendingIds } from './read-batches.ts'

/** How long batches wait before they are published again when their connection has no capacity. */
const postponedMs = 250

/**
 * Intents for batches of a run. The row lock of each batch lets one worker decide at a time, and only while the run is being
 * sent.
 */
export const batchOrigin = (group: BatchGroup, limits: ConnectionLimits): IntentOrigin => ({
  kind: 'run',
  originId: group.runId,
  limits,
  lock: (em, route) => lockBatches(em, group, route),
  postpone: (em) => postponeBatches(em, group),
  async store(em, { handOffs, done, open, isSingles }) {
    if (done.length > 0) await closeBatches(em, { ...group, batches: done })
    // Single messages go five at a time: their batch waits until these calls have ended.
    if (open.length > 0 && !isSingles)
      await postponeBatches(em, { ...group, batches: open }, handOffs.length > 0 ? 0 : undefined)
  },
})

const lockOpen = statement('lock-open-batches', {
  ...columns(DeliveryBatch, 'batch', 'is_singles'),
  ...columns(CampaignRun, 'resends_run_id'),
})

/** These batches, as a list that the planner does not use. */
const isOneOf = (batches: readonly number[]) => sql`= any(${unplanned([...batches], 'integer[]')})`

/**
 * Locks the batches, then reads whether their route may be called and who is pending. The three statements are sent together,
 * and each one sees what was committed before it began. Undefined when the run is not being sent or all batches are done. Waits
 * for a worker that holds a lock. An erasure waits for the intent, so that it finds the messages; the claim sees an earlier one.
 */
async function lockBatches(em: Em, group: BatchGroup, route: SendingRoute): Promise<LockedMessages | undefined> {
  const { workspaceId, runId, batches } = group
  const lock = await lockOpen.rowsLater(
    em,
    sql`select b.batch, b.is_singles, r.resends_run_id from campaign_runs r join delivery_batches b on b.workspace_id = r.workspace_id and b.run_id = r.id
              cross join lateral (select ${noErasures(workspaceId)}) erasures
         where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.state = 'sending' and b.batch ${isOneOf(batches)} and b.done_at is null
         order by b.batch for share of r for update of b`,
  )
  const permission = await askPermissionLater(em, route)
  const pending = await pendingIds(em, group)
  const locked = await lock()
  const [first] = locked
  if (!first) return undefined
  const open = new Set(locked.map(({ batch }) => batch))
  return {
    batches: [...open],
    pending: new Map([...pending].filter(([, batch]) => open.has(batch))),
    isSingles: locked.some(({ is_singles }) => is_singles),
    resentRunId: first.resends_run_id,
    permission: await permission(),
  }
}

const postpone = statement('postpone-batches')

/** Releases the batches that are not done, to be published again after this many milliseconds. Their recipients stay pending. */
export async function postponeBatches(
  em: Em,
  { workspaceId, runId, batches }: BatchGroup,
  ms = postponedMs,
): Promise<void> {
  await postpone.execute(
    em,
    sql`with locked as (
          select b.batch from delivery_batches b
           where b.workspace_id = ${workspaceId} and b.run_id = ${runId} and b.batch ${isOneOf(batches)} and b.done_at is null order by b.batch for update)
        update delivery_batches b set published_at = null, due_at = greatest(b.due_at, clock_timestamp() + ${ms} * interval '1 ms')
          from locked where b.workspace_id = ${workspaceId} and b.run_id = ${runId} and b.batch = locked.batch`,
  )
}

const close = statement('close-batches')

/** Marks batches without pending recipients as done. The caller holds their locks. */
async function closeBatches(em: Em, { workspaceId, runId, batches }: BatchGroup): Promise<void> {
  await close.execute(
    em,
    held(
      sql`update delivery_batches set done_at = now() where workspace_id = ${workspaceId} and run_id = ${runId} and batch ${isOneOf(batches)}`,
    ),
  )
}
