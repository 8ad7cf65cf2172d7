import type { DeleteCampaignRequest, DeleteCampaignResponseSchema } from '@lettergate/contracts/campaigns/v1/drafts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { sql } from '@mikro-orm/core'
import { kyselyOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { requireCampaign } from './campaign-draft-version.entity.ts'
import { Campaign } from './campaign.entity.ts'

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
    await kyselyOf(em, Campaign)
      .selectFrom('campaigns')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .forUpdate()
      .execute()
    const run = await kyselyOf(em, CampaignRun)
      .selectFrom('campaign_runs')
      .select(['id', 'started_at'])
      .where('workspace_id', '=', workspaceId)
      .where('campaign_id', '=', id)
      .where((eb) => eb.or([eb('started_at', 'is not', null), eb('state', 'not in', ['unscheduled', 'cancelled'])]))
      .orderBy((eb) => eb('started_at', 'is', null))
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (run) {
      const started = run.started_at !== null
      throw new Fault(
        'failed_precondition',
        started ? 'campaign_sent' : 'campaign_scheduled',
        started
          ? `The run ${run.id} of this campaign has begun to send, so what was sent stays on record. It cannot be deleted.`
          : `The run ${run.id} of this campaign is still going to be sent. Unschedule or cancel it first.`,
      )
    }
    const deleted = await em.nativeUpdate(Campaign, { workspaceId, id, deletedAt: null }, { deletedAt: sql.now() })
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
