import { AlertRaisedSchema, RunFailedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { CampaignRun } from './campaign-run.entity.ts'
import { publishAgain } from './delivery-batch.entity.ts'
import { setCampaignStatus } from './set-campaign-status.ts'

/** Stores why a run that is being sent is held. Its batches wait until the run is released. */
export async function holdRun(em: Em, workspaceId: string, runId: string, by: string): Promise<void> {
  await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ held_by: by })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('state', '=', 'sending')
    .where('held_by', 'is distinct from', by)
    .execute()
}

/** Releases a held run and makes its open batches due again. */
export async function releaseRun(em: Em, workspaceId: string, runId: string): Promise<void> {
  const held = { workspaceId, id: runId, state: 'sending', heldBy: { $ne: null } } as const
  if ((await em.nativeUpdate(CampaignRun, held, { heldBy: null })) > 0) await publishAgain(em, workspaceId, runId)
}

/** Fails a run that cannot be delivered any more and raises an alert. A job ends its pending recipients. */
export async function failRun(em: Em, workspaceId: string, runId: string, reason: string): Promise<void> {
  const failed = await kyselyOf(em, CampaignRun)
    .updateTable('campaign_runs')
    .set({ state: 'failed', failure_reason: reason, held_by: null, has_leftovers: true })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('state', '=', 'sending')
    .returning('campaign_id')
    .executeTakeFirst()
  if (!failed) return
  await setCampaignStatus(em, workspaceId, failed.campaign_id, 'failed')
  await publish(em, RunFailedSchema, { runId, campaignId: failed.campaign_id, reason })
  await publish(em, AlertRaisedSchema, {
    code: 'run_failed',
    severity: 'critical',
    summary: 'A campaign run failed because something that it needs was deleted.',
    detail: { run_id: runId, reason },
  })
}
