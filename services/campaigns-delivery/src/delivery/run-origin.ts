import { kyselyOf, sql, type Em } from '@lettergate/database'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import { finishRun } from '../runs/finish-run.ts'
import { tripRefusedRun } from '../runs/trip-refused-run.ts'
import type { ClaimedHandOff } from './hand-off.ts'
import type { End, HandOffOrigin, PutBack } from './origin.ts'

/** The batches of a run are handed over until every recipient has a final state. The last one completes the run. */
export const runOrigin: HandOffOrigin = {
  isTriedAgain: true,
  endOf,
  pendingAgain,
  refused: tripRefusedRun,
  async settled(em, workspaceId, runId) {
    await finishRun(em, workspaceId, runId)
  },
}

/** Undefined while the run continues. The run cannot end before this transaction does. */
async function endOf(em: Em, { workspaceId, originId }: ClaimedHandOff, reason: string): Promise<End | undefined> {
  const { state, failure_reason } = await kyselyOf(em, CampaignRun)
    .selectFrom('campaign_runs')
    .select(['state', 'failure_reason'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', originId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (state === 'cancelled' || state === 'unscheduled') return { end: 'skipped', reasons: [`run_${state}`] }
  if (state === 'failed') return { end: 'failed', reasons: [failure_reason ?? 'run_failed'] }
  return state === 'completed' ? { end: 'failed', reasons: [reason, 'run_completed'] } : undefined
}

/** Opens the batch again, to be published when it is due. */
async function pendingAgain(em: Em, { workspaceId, originId, batch }: ClaimedHandOff, back: PutBack): Promise<void> {
  await kyselyOf(em, DeliveryBatch)
    .updateTable('delivery_batches')
    .set({
      done_at: null,
      published_at: null,
      due_at: back.dueAt ?? sql`clock_timestamp()`,
      ...(back.isSingles ? { is_singles: true } : {}),
    })
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', originId)
    .where('batch', '=', batch)
    .execute()
}
