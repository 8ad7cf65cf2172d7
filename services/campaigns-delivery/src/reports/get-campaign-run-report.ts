import type {
  GetCampaignRunReportRequest,
  GetCampaignRunReportResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { column, sql, statement, type Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { eventTotals } from '../messages/event-count.entity.ts'
import { outcome, joinMessageState } from '../messages/message-fact.entity.ts'
import { requireRun, runReply, type RunRow } from '../runs/campaign-run.entity.ts'
import { countSent, countSkipped, countUnknown } from '../runs/run-recipient.entity.ts'
import { outcomesOfRun } from '../runs/run-tally.entity.ts'
import { attributionDays, outcomesOf } from './report.ts'

/** Returns a run with the totals of its recipients and events, read at one moment so that they agree. */
export async function getCampaignRunReport(
  ctx: Ctx,
  req: GetCampaignRunReportRequest,
): Promise<Reply<typeof GetCampaignRunReportResponseSchema>> {
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, ctx.workspaceId, req.runId)
      const outcomes = await outcomesOfRun(em, ctx.workspaceId, run.id)
      const counts = await countSent(em, ctx.workspaceId, run.id)
      const skipReasons = await countSkipped(em, ctx.workspaceId, run.id)
      const unsubscribes =
        run.started_at === null ? {} : { unsubscribesAttributed: await countUnsubscribes(em, ctx.workspaceId, run) }
      return {
        campaignRun: runReply(run, counts),
        report: {
          ...outcomesOf({ ...outcomes, sent: counts.sent }),
          ...unsubscribes,
          openedRecipients: outcomes.opened,
          clickedRecipients: outcomes.clicked,
          complained: outcomes.complained,
          skipped: skipReasons.recipients,
          unknown: await countUnknown(em, ctx.workspaceId, run.id),
          failed: counts.failed,
          skipReasons: skipReasons.byReason,
          events: (await eventTotals(em, ctx.workspaceId, [run.id]))(run.id),
          startedAt: moment(run.started_at),
          completedAt: moment(run.completed_at),
          ...(run.held_by === null || run.state !== 'sending' ? {} : { heldBy: run.held_by }),
          ...(run.paused_by === null ? {} : { pausedBy: run.paused_by }),
        },
      }
    },
    { isSnapshot: true },
  )
}

const countAttributed = statement('count-attributed-unsubscribes', { count: column.integer() })

/** Counts the recipients who withdrew consent, or unsubscribed at the provider, within seven days of the start, each once. */
async function countUnsubscribes(em: Em, workspaceId: string, run: RunRow): Promise<number> {
  const [first, days] = [sql`${run.started_at}::timestamptz`, attributionDays]
  const span = sql`between ${first} and ${first} + ${days} * interval '1 day'`
  const counted = await countAttributed.row(
    em,
    sql`with reported as (
          select message_id as id from message_facts
           where workspace_id = ${workspaceId} and origin_id = ${run.id} and fact = 'unsubscribed' group by message_id having min(at) ${span}),
        withdrawn as (
          select r.id from consent_withdrawals w
            join run_recipients r on r.contact_id = w.contact_id and r.workspace_id = w.workspace_id and r.run_id = ${run.id}
           where w.workspace_id = ${workspaceId} and w.withdrawn_at ${span} and (w.audience_id is null or w.audience_id = r.audience_id))
        select count(*)::int as count from (select id from reported union select id from withdrawn) as people
          join run_recipients r using (id) ${joinMessageState(sql`r.run_id`)}
         where r.workspace_id = ${workspaceId} and ${outcome} is not null`,
  )
  return counted!.count
}
