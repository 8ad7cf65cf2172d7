import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  GetSendingOverviewRequest,
  GetSendingOverviewResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, firstIdOf, sql, statement, type Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { sentByTime } from '../runs/run-recipient.entity.ts'

const weekMs = 7 * 24 * 3_600_000
const nextRunsMax = 5

const totals = { sent: column.integer(), delivered: column.integer(), hard_bounced: column.integer() }
const sumRuns = statement('sum-recent-runs', totals)
const sumOlderRuns = statement('sum-recent-emails-of-older-runs', totals)
const sumAutomations = statement('sum-recent-automation-emails', totals)
const countLive = statement('count-live-runs', { sending: column.integer(), scheduled: column.integer() })
const selectNext = statement('select-next-runs', {
  id: column.uuid(),
  campaign_id: column.uuid(),
  campaign_name: column.text(),
  scheduled_for: column.timestamptz(),
  included_count: column.integer(),
})

/**
 * Returns what the workspace sent in the last 7 days, read at one moment: the messages of runs, whenever the run started, and
 * of the automation steps that began in them. Also the runs under way, and the next scheduled ones, the earliest first.
 */
export async function getSendingOverview(
  ctx: Ctx,
  _req: GetSendingOverviewRequest,
): Promise<Reply<typeof GetSendingOverviewResponseSchema>> {
  const { workspaceId } = ctx
  const since = new Date(ctx.now().getTime() - weekMs)
  return ctx.tx(
    async (em) => {
      const runs = await totalsOfRuns(em, workspaceId, since)
      const older = await totalsOfOlderRuns(em, workspaceId, since)
      const automations = await totalsOfAutomations(em, workspaceId, since)
      const live = await countLive.row(
        em,
        sql`select (count(*) filter (where state = 'sending'))::int as sending, (count(*) filter (where state = 'scheduled'))::int as scheduled
              from campaign_runs where workspace_id = ${workspaceId} and state in ('sending', 'scheduled')`,
      )
      const next = await selectNext.rows(
        em,
        sql`select r.id, r.campaign_id, v.name as campaign_name, r.scheduled_for, r.included_count from campaign_runs r
              join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
              join campaign_draft_versions v on v.workspace_id = r.workspace_id and v.campaign_id = r.campaign_id and v.version = s.draft_version
             where r.workspace_id = ${workspaceId} and r.state = 'scheduled' order by r.scheduled_for, r.id limit ${nextRunsMax}`,
      )
      return {
        since: timestampFromDate(since),
        campaigns: {
          sent: runs.sent + older.sent,
          delivered: runs.delivered + older.delivered,
          hardBounced: runs.hardBounced + older.hardBounced,
        },
        automations,
        runsSending: live!.sending,
        runsScheduled: live!.scheduled,
        nextRuns: next.map((run) => ({
          id: run.id,
          campaignId: run.campaign_id,
          campaignName: run.campaign_name,
          scheduledFor: timestampFromDate(new Date(run.scheduled_for)),
          includedCount: run.included_count,
        })),
      }
    },
    { isSnapshot: true },
  )
}

/** The runs that started since. The outcomes are those of the tallies, so that the cost depends on the number of hand-offs, not of recipients. */
async function totalsOfRuns(em: Em, workspaceId: string, since: Date) {
  const summed = await sumRuns.row(
    em,
    sql`select coalesce(sum(h.people + t.without_hand_off), 0)::int as sent, coalesce(sum(t.delivered), 0)::int as delivered,
               coalesce(sum(t.hard_bounced), 0)::int as hard_bounced
          from campaign_runs r
         cross join lateral (select coalesce(sum(people), 0) as people from (${sentByTime(workspaceId, sql`r.id`)}) as handed_off) h
         cross join lateral (
           select coalesce(sum(without_hand_off), 0) as without_hand_off, coalesce(sum(delivered), 0) as delivered,
                  coalesce(sum(hard_bounced), 0) as hard_bounced
             from run_tallies where workspace_id = ${workspaceId} and run_id = r.id) t
         where r.workspace_id = ${workspaceId} and r.started_at >= ${since.toISOString()}`,
  )
  return totalsReply(summed!)
}

/** The emails that runs from before handed off since. A tally has no times, so these emails are read one by one. */
async function totalsOfOlderRuns(em: Em, workspaceId: string, since: Date) {
  const summed = await sumOlderRuns.row(
    em,
    sql`with handed_off as materialized (
          select h.origin_id, m.id, bool_or(h.state = 'accepted') as is_accepted
            from hand_offs h
            join campaign_runs r on r.workspace_id = h.workspace_id and r.id = h.origin_id and r.started_at < ${since.toISOString()}
           cross join lateral unnest(h.message_ids) as m (id)
           where h.workspace_id = ${workspaceId} and h.id >= ${firstIdOf(since)} and h.kind = 'run'
           group by h.origin_id, m.id),
        proven as (
          select f.message_id as id, message_outcome(array_agg(f.fact)) as outcome
            from handed_off a join message_facts f on f.origin_id = a.origin_id and f.message_id = a.id
           where f.workspace_id = ${workspaceId} and f.fact not in ('skipped', 'failed')
           group by f.message_id)
        select count(*)::int as sent, (count(*) filter (where outcome = 'delivered'))::int as delivered,
               (count(*) filter (where outcome = 'hard_bounced'))::int as hard_bounced
          from handed_off left join proven using (id) where is_accepted or outcome is not null`,
  )
  return totalsReply(summed!)
}

/**
 * Ids of steps and hand-offs begin with their time, so that ranges of indexes have the last days. A message counts as sent if
 * its hand-off was accepted, or if an event proves it.
 */
async function totalsOfAutomations(em: Em, workspaceId: string, since: Date) {
  const first = firstIdOf(since)
  const summed = await sumAutomations.row(
    em,
    sql`with recent as materialized (
          select origin_id, state, message_ids from hand_offs where workspace_id = ${workspaceId} and id >= ${first} and kind = 'automation'),
        accepted as (
          select m.id from recent cross join lateral unnest(message_ids) as m (id) where state = 'accepted' and m.id >= ${first}),
        proven as (
          select f.message_id as id, message_outcome(array_agg(f.fact)) as outcome
            from (select distinct origin_id from recent) a join message_facts f on f.origin_id = a.origin_id
           where f.workspace_id = ${workspaceId} and f.message_id >= ${first} and f.fact not in ('skipped', 'failed')
           group by f.origin_id, f.message_id)
        select count(*)::int as sent, (count(*) filter (where outcome = 'delivered'))::int as delivered,
               (count(*) filter (where outcome = 'hard_bounced'))::int as hard_bounced
          from accepted full join proven using (id)`,
  )
  return totalsReply(summed!)
}

const totalsReply = ({
  sent,
  delivered,
  hard_bounced: hardBounced,
}: {
  sent: number
  delivered: number
  hard_bounced: number
}) => ({
  sent,
  delivered,
  hardBounced,
})
