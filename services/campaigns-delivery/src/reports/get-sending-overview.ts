import type {
  GetSendingOverviewRequest,
  GetSendingOverviewResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, firstIdOf, sql, statement, type Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
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
        since: moment(since),
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
          scheduledFor: moment(run.scheduled_for),
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
         cross join lateral (select coalesce(sum(people), 0) as people from (${sentByTime(sql`r.id`)}) as handed_off) h
         cross join lateral (
           select coalesce(sum(without_hand_off), 0) as without_hand_off, coalesce(sum(delivered), 0) as delivered,
                  coalesce(sum(hard_bounced), 0) as hard_bounced
             from run_tallies where workspace_id = ${workspaceId} and run_id = r.id) t
         where r.workspace_id = ${workspaceId} and r.started_at >= ${since.toISOString()}`,
  )
  return totalsReply(summed!)
}

/** A run that completed has no later hand-off, but the clock of the worker that named its last one may be ahead. */
const clocksDifferMs = 3_600_000

/**
 * The emails that runs from before handed off since. A tally has no times, so these emails are read: the hand-offs of each run that
 * may have some, and the facts of a hand-off in one range of the index. A message is in at most one accepted hand-off. Events
 * prove messages of the others.
 */
async function totalsOfOlderRuns(em: Em, workspaceId: string, since: Date) {
  const endedSince = new Date(since.getTime() - clocksDifferMs)
  const provenOfTried = sql`tried t cross join lateral (
    select message_id as id, array_agg(fact) as facts from message_facts
     where origin_id = t.origin_id and message_id = any(t.message_ids) and fact not in ('skipped', 'failed') group by message_id) f`
  const summed = await sumOlderRuns.row(
    em,
    sql`with tried as materialized (
          select h.origin_id, h.state = 'accepted' as is_accepted, h.message_ids, h.recipient_count as people
            from campaign_runs r join hand_offs h on h.origin_id = r.id and h.id >= ${firstIdOf(since)}
           where r.workspace_id = ${workspaceId} and r.started_at < ${since.toISOString()}
             and (r.completed_at is null or r.completed_at >= ${endedSince.toISOString()})),
        others as materialized (
          select distinct on (f.id) f.id, f.facts from ${provenOfTried}
           where not t.is_accepted and f.id not in (select unnest(message_ids) from tried where is_accepted)),
        counted as (
          select f.facts, count(*) as people from ${provenOfTried} where t.is_accepted group by f.facts
          union all
          select facts, count(*) from others group by facts)
        select (coalesce((select sum(people) from tried where is_accepted), 0) + (select count(*) from others))::int as sent,
               coalesce(sum(people) filter (where message_outcome(facts) = 'delivered'), 0)::int as delivered,
               coalesce(sum(people) filter (where message_outcome(facts) = 'hard_bounced'), 0)::int as hard_bounced
          from counted`,
  )
  return totalsReply(summed!)
}

const hourMs = 3_600_000

/**
 * The emails of automation steps that began since. Ids of steps and hand-offs begin with their time. The whole hours are in the
 * tallies. Read one by one are the emails of the first, begun hour, and those of hand-offs that were not accepted, because an event
 * may prove that they were sent.
 */
async function totalsOfAutomations(em: Em, workspaceId: string, since: Date) {
  const wholeHours = new Date(Math.ceil(since.getTime() / hourMs) * hourMs)
  const [first, firstOfWhole] = [firstIdOf(since), firstIdOf(wholeHours)]
  const summed = await sumAutomations.row(
    em,
    sql`with emails as materialized (
          select id, automation_id as origin_id, batch, false as is_tallied from automation_emails
           where workspace_id = ${workspaceId} and id >= ${first} and id < ${firstOfWhole}
          union all
          select distinct m.id, h.origin_id, h.batch, true from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
           where h.workspace_id = ${workspaceId} and h.id >= ${first} and h.kind = 'automation' and h.state <> 'accepted' and m.id >= ${firstOfWhole}),
        known as materialized (
          select e.is_tallied, a.is_accepted, k.facts from emails e
           cross join lateral (select count(*) > 0 as is_accepted from hand_offs h
                                where h.origin_id = e.origin_id and h.batch = e.batch and h.state = 'accepted' and e.id = any(h.message_ids)) a
           cross join lateral (select array_agg(f.fact) as facts from message_facts f
                                where f.origin_id = e.origin_id and f.message_id = e.id and f.fact not in ('skipped', 'failed')) k),
        totals as (
          select case kind when 'accepted' then 'sent' else kind end as kind, messages
            from automation_tallies where workspace_id = ${workspaceId} and hour >= ${wholeHours.toISOString()}
          union all
          select 'sent', 1 from known where case when is_tallied then not is_accepted and facts is not null else is_accepted or facts is not null end
          union all
          select message_outcome(facts), 1 from known where not is_tallied)
        select coalesce(sum(messages) filter (where kind = 'sent'), 0)::int as sent, coalesce(sum(messages) filter (where kind = 'delivered'), 0)::int as delivered,
               coalesce(sum(messages) filter (where kind = 'hard_bounced'), 0)::int as hard_bounced
          from totals`,
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
