import { column, prepared, sql, statement, type Em } from '@lettergate/database'

/** How long a real run took, without the times in which nothing was sent. */
export interface RecentRun {
  recipients: number
  /** from the request of the snapshot until it was stored */
  snapshotSeconds: number
  /** from the start of the run to its completion */
  deliverySeconds: number
  /** what a further recipient adds to it */
  secondsEach: number
}

const runsMax = 20
/** A smaller run says little about a large one. */
const recipientsMin = 100
/** A longer time between two results is a closed gate, a cooldown or a pause. */
const gapSecondsMax = 5

const selectRecent = statement('select-recent-runs', {
  recipients: column.integer(),
  snapshot_seconds: column.double(),
  delivery_seconds: column.double(),
  late_seconds: column.double(),
  late_recipients: column.integer(),
})

/**
 * The last completed runs of a workspace, the newest first. The rate is that of the later half of the results: in the first run of a
 * worker, the earlier half is slower, because its code and its connections are new.
 */
export async function readRecentRuns(em: Em, workspaceId: string): Promise<RecentRun[]> {
  const rows = await selectRecent.rows(
    em,
    prepared(sql`with recent as (
          select r.id, r.started_at, r.completed_at, extract(epoch from s.created_at - r.created_at)::float8 as snapshot_seconds
            from campaign_runs r join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
           where r.workspace_id = ${workspaceId} and r.state = 'completed' and r.included_count >= ${recipientsMin}::integer
           order by r.id desc limit ${runsMax}::integer),
        results as (
          select r.id, r.snapshot_seconds, h.recipient_count, r.completed_at - h.settled_at as before_end,
                 least(extract(epoch from h.settled_at - lag(h.settled_at, 1, r.started_at) over o), ${gapSecondsMax}::integer)::float8 as gap,
                 row_number() over o as place, count(*) over (partition by r.id) as places
            from recent r join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = r.id and h.state = 'accepted'
          window o as (partition by r.id order by h.settled_at, h.id))
        select sum(recipient_count)::int as recipients, min(snapshot_seconds) as snapshot_seconds,
               (sum(gap) + least(extract(epoch from min(before_end)), ${gapSecondsMax}::integer))::float8 as delivery_seconds,
               coalesce(sum(gap) filter (where place > 1 and 2 * place > places), 0)::float8 as late_seconds,
               coalesce(sum(recipient_count) filter (where place > 1 and 2 * place > places), 0)::int as late_recipients
          from results group by id having sum(recipient_count) >= ${recipientsMin}::integer order by id desc`),
  )
  return rows.map((row) => ({
    recipients: row.recipients,
    snapshotSeconds: row.snapshot_seconds,
    deliverySeconds: row.delivery_seconds,
    // A run has a part that does not depend on its size, so a further recipient never takes longer than the average one.
    secondsEach: Math.min(
      row.delivery_seconds / row.recipients,
      row.late_recipients === 0 ? Infinity : row.late_seconds / row.late_recipients,
    ),
  }))
}
