import type {
  ListCampaignRunsRequest,
  ListCampaignRunsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import { CampaignRun, resendLinks, runColumns, runList } from './campaign-run.entity.ts'
import { countSent } from './run-recipient.entity.ts'
import { outcomesOfRun } from './run-tally.entity.ts'
import { moment } from '@lettergate/values/moment'

const listedColumns = { ...runColumns, ...columns(CampaignRun, 'created_at'), campaign_name: column.text() }
const selectPage = statement('select-run-page', listedColumns)

/** Lists the runs of the workspace, newest first, one page at a time, each with its current results. */
export async function listCampaignRuns(
  ctx: Ctx,
  req: ListCampaignRunsRequest,
): Promise<Reply<typeof ListCampaignRunsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('campaign_runs', req.cursor)
  const state = req.state === undefined ? null : parseState(req.state)
  const campaignId = req.campaignId ?? null
  if (campaignId !== null && !isUuid(campaignId)) return { campaignRuns: [] }
  return ctx.tx(
    async (em) => {
      const found = await selectPage.rows(
        em,
        sql`select ${runList}, r.created_at, v.name as campaign_name from campaign_runs r
              join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
              join campaign_draft_versions v on v.workspace_id = r.workspace_id and v.campaign_id = r.campaign_id and v.version = s.draft_version
             where r.workspace_id = ${workspaceId} and r.state <> 'building' and (${after}::uuid is null or r.id < ${after}::uuid)
               and (${state}::text is null or r.state = ${state}) and (${campaignId}::uuid is null or r.campaign_id = ${campaignId}::uuid)
             order by r.id desc limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf('campaign_runs', found, limit)
      const campaignRuns = []
      for (const run of page) campaignRuns.push(await listed(em, workspaceId, run))
      return { campaignRuns, nextCursor }
    },
    { isSnapshot: true },
  )
}

const states = ['scheduled', 'sending', 'paused', 'completed', 'unscheduled', 'cancelled', 'failed']

function parseState(given: string): string {
  if (states.includes(given)) return given
  throw new Fault('invalid_argument', 'state', `state must be one of ${states.join(', ')}.`)
}

async function listed(em: Em, workspaceId: string, run: RowOf<typeof listedColumns>) {
  const { sent, failed } = await countSent(em, workspaceId, run.id)
  const { delivered, hardBounced, complained, opened } = await outcomesOfRun(em, workspaceId, run.id)
  return {
    id: run.id,
    campaignId: run.campaign_id,
    campaignName: run.campaign_name,
    state: run.state,
    scheduledFor: moment(run.scheduled_for),
    startedAt: moment(run.started_at),
    completedAt: moment(run.completed_at),
    heldBy: run.state === 'sending' ? (run.held_by ?? undefined) : undefined,
    includedCount: run.included_count,
    excludedCount: run.excluded_count,
    sentCount: sent,
    failedCount: failed,
    delivered,
    hardBounced,
    complained,
    openedRecipients: opened,
    createdAt: moment(run.created_at),
    ...resendLinks(run),
  }
}
