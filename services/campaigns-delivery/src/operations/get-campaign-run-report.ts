import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  GetCampaignRunReportRequest,
  GetCampaignRunReportResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { row, rows, sql, type Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRun, runReply, type RunRow } from '../db/campaign-runs.ts'
import { isSent } from '../db/run-recipients.ts'
import { eventKinds } from '../domain/delivery/outcome.ts'
import { attributionDays, outcomesOf } from '../domain/delivery/report.ts'

/** A run with everything its recipients and events add up to, all of one moment, so that the parts agree whenever it is asked. */
export async function getCampaignRunReport(
  ctx: Ctx,
  req: GetCampaignRunReportRequest,
): Promise<Reply<typeof GetCampaignRunReportResponseSchema>> {
  return ctx.tx(
    async (em) => {
      const run = await requireRun(em, ctx.workspaceId, req.runId)
      const tally = await tallyOf(em, ctx.workspaceId, run.id)
      const unsubscribes =
        run.started_at === null ? {} : { unsubscribesAttributed: await countUnsubscribes(em, ctx.workspaceId, run) }
      return {
        campaignRun: runReply(run, tally),
        report: {
          ...outcomesOf(tally),
          ...unsubscribes,
          openedRecipients: tally.opened,
          clickedRecipients: tally.clicked,
          complained: tally.complained,
          skipped: tally.skipped,
          unknown: tally.unknown,
          failed: tally.failed,
          skipReasons: await skipReasons(em, ctx.workspaceId, run.id),
          events: await eventCounts(em, ctx.workspaceId, run.id),
          ...(run.started_at === null ? {} : { startedAt: timestampFromDate(new Date(run.started_at)) }),
          ...(run.completed_at === null ? {} : { completedAt: timestampFromDate(new Date(run.completed_at)) }),
          ...(run.held_by === null || run.state !== 'sending' ? {} : { heldBy: run.held_by }),
        },
      }
    },
    { isSnapshot: true },
  )
}

type Tally = Record<
  | 'sent'
  | 'delivered'
  | 'hardBounced'
  | 'softFailedOnly'
  | 'opened'
  | 'clicked'
  | 'complained'
  | 'skipped'
  | 'unknown'
  | 'failed',
  number
>

/** The outcome of each message as in domain/delivery/outcome.ts, counted in one pass over the run. */
async function tallyOf(em: Em, workspaceId: string, runId: string): Promise<Tally> {
  const counted = await row<Tally>(
    em,
    sql`with judged as (
          select r.*, ${isSent} as sent, coalesce(r.hard_bounced_at, r.provider_suppressed_at) is not null as bounced, h.state as hand_off_state
            from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id
           where r.workspace_id = ${workspaceId} and r.run_id = ${runId})
        select count(*) filter (where sent)::int as sent,
               count(*) filter (where sent and bounced)::int as "hardBounced",
               count(*) filter (where sent and not bounced and delivered_at is not null)::int as delivered,
               count(*) filter (where sent and not bounced and delivered_at is null and soft_failed_at is not null)::int as "softFailedOnly",
               count(*) filter (where sent and opened_at is not null)::int as opened,
               count(*) filter (where sent and clicked_at is not null)::int as clicked,
               count(*) filter (where sent and complained_at is not null)::int as complained,
               count(*) filter (where state = 'skipped')::int as skipped,
               count(*) filter (where state = 'failed')::int as failed,
               count(*) filter (where state = 'claimed' and not sent and hand_off_state = 'unknown')::int as unknown
          from judged`,
  )
  return counted!
}

async function skipReasons(em: Em, workspaceId: string, runId: string): Promise<Record<string, number>> {
  const found = await rows<{ reason: string; count: number }>(
    em,
    sql`select reason, count(*)::int as count from run_recipients, unnest(reasons) as reason
         where workspace_id = ${workspaceId} and run_id = ${runId} and state = 'skipped' group by reason order by reason`,
  )
  return Object.fromEntries(found.map(({ reason, count }) => [reason, count]))
}

/** Provider events by kind, all seven always named. */
async function eventCounts(em: Em, workspaceId: string, runId: string): Promise<Record<string, number>> {
  const found = await rows<{ kind: string; count: number }>(
    em,
    sql`select kind, count from run_event_counts where workspace_id = ${workspaceId} and run_id = ${runId}`,
  )
  return {
    ...Object.fromEntries(eventKinds.map((kind) => [kind, 0])),
    ...Object.fromEntries(found.map(({ kind, count }) => [kind, count])),
  }
}

/** People sent to who withdrew consent, or told the provider so, within seven days of the start; each once. */
async function countUnsubscribes(em: Em, workspaceId: string, run: RunRow): Promise<number> {
  const counted = await row<{ count: number }>(
    em,
    sql`with span as (select ${run.started_at}::timestamptz as first, ${run.started_at}::timestamptz + ${attributionDays} * interval '1 day' as last)
        select count(*)::int as count
          from run_recipients r left join hand_offs h on h.workspace_id = r.workspace_id and h.id = r.hand_off_id, span
         where r.workspace_id = ${workspaceId} and r.run_id = ${run.id} and ${isSent}
           and (r.unsubscribed_at between first and last
                or r.contact_id in (select w.contact_id from consent_withdrawals w
                                     where w.workspace_id = ${workspaceId} and w.withdrawn_at between first and last
                                       and (w.audience_id is null or w.audience_id = r.audience_id)))`,
  )
  return counted!.count
}
