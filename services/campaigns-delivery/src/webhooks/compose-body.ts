import { create } from '@bufbuild/protobuf'
import {
  CampaignReportSchema,
  CampaignRunSchema,
  GetCampaignRunReportRequestSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { kyselyOf, sql } from '@lettergate/database'
import { compileJson } from '@lettergate/message-json'
import type { Ctx } from '../ctx.ts'
import { getCampaignRunReport } from '../reports/get-campaign-run-report.ts'
import { requireRun, runReply } from '../runs/campaign-run.entity.ts'
import { countSent } from '../runs/run-recipient.entity.ts'
import { CampaignWebhookDelivery, type DeliveryRow } from './campaign-webhook-delivery.entity.ts'

const runJson = compileJson(CampaignRunSchema)
const reportJson = compileJson(CampaignReportSchema)

/**
 * Builds the body of a delivery before the first attempt; all attempts send the same. It contains the run as it is now, with
 * the state of the event. A completed run includes its report.
 */
export async function composeBody(ctx: Ctx, delivery: DeliveryRow): Promise<string> {
  const { workspaceId } = ctx
  const data = await dataOf(ctx, delivery)
  const body = JSON.stringify({ type: delivery.type, timestamp: new Date(delivery.occurred_at).toISOString(), data })
  const kept = await ctx.tx((em) =>
    kyselyOf(em, CampaignWebhookDelivery)
      .updateTable('campaign_webhook_deliveries')
      .set({ body: sql`coalesce(body, ${body})` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', delivery.id)
      .returning('body')
      .executeTakeFirst(),
  )
  return kept?.body ?? body
}

async function dataOf(ctx: Ctx, delivery: DeliveryRow): Promise<Record<string, unknown>> {
  const { workspaceId } = ctx
  const { run_id: runId, run_state: state } = delivery
  if (runId === null) return { message: 'A test of the campaign webhook. No campaign run is meant.' }
  if (delivery.type === 'campaign_run.completed') {
    const { campaignRun, report } = await getCampaignRunReport(
      ctx,
      create(GetCampaignRunReportRequestSchema, { runId }),
    )
    return {
      ...runJson(create(CampaignRunSchema, campaignRun)),
      state,
      report: reportJson(create(CampaignReportSchema, report)),
    }
  }
  const run = await ctx.tx(async (em) =>
    runReply(await requireRun(em, workspaceId, runId), await countSent(em, workspaceId, runId)),
  )
  return { ...runJson(create(CampaignRunSchema, run)), state }
}
