import type { DeleteCampaignRequest, DeleteCampaignResponseSchema } from '@lettergate/contracts/campaigns/v1/drafts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireCampaign } from './campaign-draft-version.entity.ts'

/**
 * Deletes a campaign of which nothing was or will be sent. It becomes invisible; its versions, its runs that never started
 * and the audit trail stay in the database.
 */
export async function deleteCampaign(
  ctx: Ctx,
  req: DeleteCampaignRequest,
): Promise<Reply<typeof DeleteCampaignResponseSchema>> {
  const { workspaceId, caller } = ctx
  await ctx.tx(async (em) => {
    const { id, name } = await requireCampaign(em, workspaceId, req.campaignId)
    // The lock makes a concurrent schedule wait; afterwards it finds no campaign.
    await row(em, sql`select 1 from campaigns where workspace_id = ${workspaceId} and id = ${id} for update`)
    const run = await row<{ id: string; started: boolean }>(
      em,
      sql`select id, started_at is not null as started from campaign_runs
           where workspace_id = ${workspaceId} and campaign_id = ${id} and (started_at is not null or state not in ('unscheduled', 'cancelled'))
           order by started_at is null, id limit 1`,
    )
    if (run)
      throw new Fault(
        'failed_precondition',
        run.started ? 'campaign_sent' : 'campaign_scheduled',
        run.started
          ? `The run ${run.id} of this campaign has begun to send, so what was sent stays on record. It cannot be deleted.`
          : `The run ${run.id} of this campaign is still going to be sent. Unschedule or cancel it first.`,
      )
    const deleted = await execute(
      em,
      sql`update campaigns set deleted_at = now() where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`,
    )
    if (deleted === 0) throw new Fault('not_found', 'campaign', 'There is no such campaign.')
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_deleted',
      subjectType: 'campaign',
      subjectId: id,
      actor: caller.actor,
      detail: { name },
    })
  })
  return { deleted: true }
}
