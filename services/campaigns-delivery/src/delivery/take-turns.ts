import { column, columns, prepared, sql, statement, unplanned, type Em } from '@lettergate/database'
import { creditMs } from '../connections/pace.ts'
import { DeliveryBatch } from '../runs/delivery-batch.entity.ts'
import type { ConnectionLimits } from './claim.ts'
import type { BatchKey } from './hand-off.ts'

/** Limits for one round of publishing. */
export interface PublishWindow {
  /** batches that may be published now */
  room: number
  /** published batches that one workspace may have waiting */
  share: number
  limits: ConnectionLimits
  batchSize: number
}

const publishNext = statement('publish-next-batches', {
  ...columns(DeliveryBatch, 'workspace_id', 'run_id', 'batch'),
  place: column.bigint(),
})

/**
 * Marks the next batches as published and returns them in order. Workspaces take turns, and so do the runs of each
 * workspace. A connection gets as many batches as it has free calls, one during a trial, and none in cooldown. The cost
 * depends on the number of runs being sent, not on their size.
 */
export async function takeTurns(em: Em, window: PublishWindow): Promise<BatchKey[]> {
  const taken = await publishNext.rows(
    em,
    prepared(sql`
      with ${runsBeingSent(window)}, ${nearestRuns(window)}, ${nextBatches(window)},
      taken as (
        select b.run_id, b.batch, next.place from delivery_batches b join next using (run_id, batch)
         where b.published_at is null and b.done_at is null for update of b skip locked)
      update delivery_batches b set published_at = now() from taken where b.run_id = taken.run_id and b.batch = taken.batch
      returning b.workspace_id, b.run_id, b.batch, taken.place`),
  )
  return taken
    .toSorted((one, other) => Number(one.place) - Number(other.place))
    .map(({ workspace_id: workspaceId, run_id: runId, batch }) => ({ workspaceId, runId, batch }))
}

/** Every run whose connection and domain are not in cooldown, with its published batches and the limit of its connection. */
function runsBeingSent({ limits, batchSize }: PublishWindow) {
  const batchMs = unplanned(limits.perSecond === 0 ? 0 : (batchSize * 1_000) / limits.perSecond, 'float8')
  return sql`
      sending as materialized (
        select r.workspace_id, r.id as run_id, r.connection_id, h.until is not null as is_tried, d.until is not null as is_tried_domain,
               (select count(*) from delivery_batches b where b.run_id = r.id and b.done_at is null and b.published_at is not null) as published,
               (select count(*) from hand_offs o where o.workspace_id = r.workspace_id and o.connection_id = r.connection_id and o.state = 'claimed') as calls,
               least(${creditMs}, coalesce(extract(epoch from clock_timestamp() - p.paid_until)::float8 * 1000, ${creditMs})) as credit_ms
          from campaign_runs r
          left join connection_holds h on h.workspace_id = r.workspace_id and h.connection_id = r.connection_id
          left join domain_holds d on d.workspace_id = r.workspace_id and d.connection_id = r.connection_id and d.domain_name = r.domain_name
          left join connection_paces p on ${batchMs} > 0 and p.workspace_id = r.workspace_id and p.connection_id = r.connection_id
         where r.state = 'sending' and r.held_by is null
           and coalesce(h.until <= clock_timestamp(), true) and coalesce(d.until <= clock_timestamp(), true)),
      limited as (
        select *, sum(published) over (partition by workspace_id) as of_workspace,
               sum(published) over (partition by workspace_id, connection_id) as of_connection,
               least(case when is_tried then 1 else ${limits.atOnce}::int - calls end,
                     case when ${batchMs} > 0 then greatest(0, floor(credit_ms / nullif(${batchMs}, 0)) + 1) end) as connection_limit
          from sending)`
}

/**
 * The runs that can have a batch among the next ones. Equal runs are ordered at random, with a new seed each time. The
 * random order applies to workspaces and runs, not to batches, so that leaving some out does not change it.
 */
function nearestRuns({ room, share }: PublishWindow) {
  const seed = Math.floor(Math.random() * 2 ** 52)
  return sql`
      open as (
        select *, hashtextextended(run_id::text, ${seed}::bigint) as run_order, hashtextextended(workspace_id::text, ${seed}::bigint) as workspace_order
          from limited
         where of_connection < connection_limit and of_workspace < ${share}::int and not (is_tried_domain and published > 0)
           and exists (select from delivery_batches w where w.run_id = limited.run_id and w.done_at is null and w.published_at is null and w.due_at <= now())),
      firsts as (
        select *, of_connection + row_number() over (partition by workspace_id, connection_id order by published, run_order) as connection_turn from open),
      nearest as (
        select *, of_workspace + row_number() over (partition by workspace_id order by published, run_order) as workspace_turn
          from firsts where connection_turn <= connection_limit order by workspace_turn, workspace_order limit ${unplanned(room, 'int')})`
}

/** The due batches of those runs, in turn within each connection and workspace. */
const nextBatches = ({ room, share }: PublishWindow) => sql`
      in_run as (
        select open.*, b.batch, open.published + row_number() over (partition by open.run_id order by b.due_at, b.batch) as turn
          from nearest join open on open.run_id = nearest.run_id cross join lateral (
            select w.batch, w.due_at from delivery_batches w
             where w.run_id = nearest.run_id and w.done_at is null and w.published_at is null and w.due_at <= now()
             order by w.due_at, w.batch limit ${unplanned(room, 'int')}) as b),
      in_connection as (
        select *, of_connection + row_number() over (partition by workspace_id, connection_id order by turn, run_order) as connection_turn
          from in_run where turn = 1 or not is_tried_domain),
      in_workspace as (
        select *, of_workspace + row_number() over (partition by workspace_id order by turn, run_order) as workspace_turn
          from in_connection where connection_turn <= connection_limit),
      next as (
        select run_id, batch, row_number() over (order by workspace_turn, workspace_order) as place from in_workspace
         where workspace_turn <= ${share}::int order by workspace_turn, workspace_order limit ${unplanned(room, 'int')})`
