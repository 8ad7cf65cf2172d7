import { column, prepared, sql, statement, type Em } from '@lettergate/database'

/** How long the delivery of a real run took, without the times in which nothing was sent. */
export interface RecentRun {
  recipients: number
  seconds: number
}

const runsMax = 20
/** A smaller run says little about a large one. */
const recipientsMin = 100
/** A longer time between two results is a closed gate, a cooldown or a pause. */
const gapSecondsMax = 5

const selectRecent = statement('select-recent-runs', { recipients: column.integer(), seconds: column.double() })

/** The last completed runs of a workspace, with the seconds from the start of each to its last result. */
export const readRecentRuns = (em: Em, workspaceId: string): Promise<RecentRun[]> =>
  selectRecent.rows(
    em,
    prepared(sql`with recent as (
          select id, started_at from campaign_runs
           where workspace_id = ${workspaceId} and state = 'completed' and included_count >= ${recipientsMin}::integer
           order by id desc limit ${runsMax}::integer),
        results as (
          select r.id, h.recipient_count, h.settled_at - lag(h.settled_at, 1, r.started_at) over (partition by r.id order by h.settled_at) as gap
            from recent r join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = r.id and h.state = 'accepted')
        select sum(recipient_count)::int as recipients, sum(least(extract(epoch from gap), ${gapSecondsMax}::integer))::float8 as seconds
          from results group by id having sum(recipient_count) >= ${recipientsMin}::integer`),
  )

const nearestMax = 3

/** The seconds for each recipient in runs of about this size. Undefined if the workspace has sent no run. */
export function secondsForEach(recent: readonly RecentRun[], recipients: number): number | undefined {
  const distance = (run: RecentRun) => Math.abs(Math.log(run.recipients / recipients))
  const nearest = recent.toSorted((one, other) => distance(one) - distance(other)).slice(0, nearestMax)
  const each = nearest.map((run) => run.seconds / run.recipients).toSorted((one, other) => one - other)
  return each[Math.floor(each.length / 2)]
}
