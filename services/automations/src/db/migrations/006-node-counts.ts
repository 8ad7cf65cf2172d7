import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * Counts of each version for its graph, maintained by triggers: who is at each node, by state, the finished steps of each node, by
 * outcome, and the ended enrollments, by end, with an empty node key.
 */
export class NodeCounts extends Migration {
  override up(): void {
    for (const statement of [...counts, ...backfill, ...tenantTable('node_counts'), ...ownSearchPath()])
      this.addSql(statement)
  }
}

/** Enrollments are looked up one by one in their index, because the plan is kept while the tables grow. */
const counter = (name: string, body: string) => `create function ${name}() returns trigger language plpgsql
   security definer set search_path from current
   set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$ begin ${body} return null; end $$`

const add = (selected: string) => `
   insert into node_counts as c (workspace_id, automation_id, version_id, node_key, counted, slot, count)
   ${selected}
   on conflict (workspace_id, version_id, node_key, counted, slot) do update set count = c.count + excluded.count;`

const ofPositions = (rows: string) =>
  add(`select e.workspace_id, e.automation_id, e.version_id, r.node_key, r.state, pg_backend_pid() % 16, sum(r.change)
         from (${rows}) r join enrollments e on e.workspace_id = r.workspace_id and e.id = r.enrollment_id
        group by 1, 2, 3, 4, 5 having sum(r.change) <> 0 order by 1, 3, 4, 5`)
const nowAt = 'select workspace_id, enrollment_id, node_key, state, 1 as change from now_rows'
const wasAt = 'select workspace_id, enrollment_id, node_key, state, -1 as change from was_rows'

const counts = [
  // A slot may be negative, because different sessions write the arrival and the departure. Only the sum is meaningful.
  `create table node_counts (
     workspace_id uuid not null,
     automation_id uuid not null,
     version_id uuid not null,
     node_key text not null,
     counted text not null,
     slot smallint not null check (slot between 0 and 15),
     count bigint not null,
     primary key (workspace_id, version_id, node_key, counted, slot)) with (fillfactor = 50)`,

  counter(
    'count_positions',
    `if tg_op = 'INSERT' then ${ofPositions(nowAt)}
     elsif tg_op = 'UPDATE' then ${ofPositions(`${nowAt} union all ${wasAt}`)}
     else ${ofPositions(wasAt)} end if;`,
  ),
  `create trigger enrollment_positions_counted_insert after insert on enrollment_positions
     referencing new table as now_rows for each statement execute function count_positions()`,
  `create trigger enrollment_positions_counted_update after update on enrollment_positions
     referencing old table as was_rows new table as now_rows for each statement execute function count_positions()`,
  `create trigger enrollment_positions_counted_delete after delete on enrollment_positions
     referencing old table as was_rows for each statement execute function count_positions()`,

  counter(
    'count_steps',
    add(`select e.workspace_id, e.automation_id, e.version_id, r.node_key, r.outcome, pg_backend_pid() % 16, count(*)
           from now_rows r join enrollments e on e.workspace_id = r.workspace_id and e.id = r.enrollment_id
          group by 1, 2, 3, 4, 5 order by 1, 3, 4, 5`),
  ),
  `create trigger enrollment_steps_counted after insert on enrollment_steps
     referencing new table as now_rows for each statement execute function count_steps()`,

  // An enrollment begins without an end. A replay removes the end.
  counter(
    'count_ends',
    add(`select workspace_id, automation_id, version_id, '', end_state, pg_backend_pid() % 16, sum(change)
           from (select *, 1 as change from now_rows union all select *, -1 from was_rows) r
          where end_state is not null group by 1, 2, 3, 4, 5 having sum(change) <> 0 order by 1, 3, 5`),
  ),
  `create trigger enrollments_counted after update on enrollments
     referencing old table as was_rows new table as now_rows for each statement execute function count_ends()`,
]

/** The triggers block writers until the migration commits, so the sums are complete. */
const backfill = [
  `select set_config('app.system', 'migration', true)`,
  `insert into node_counts (workspace_id, automation_id, version_id, node_key, counted, slot, count)
   select e.workspace_id, e.automation_id, e.version_id, p.node_key, p.state, 0, count(*)
     from enrollment_positions p join enrollments e on e.workspace_id = p.workspace_id and e.id = p.enrollment_id group by 1, 2, 3, 4, 5
   union all
   select e.workspace_id, e.automation_id, e.version_id, s.node_key, s.outcome, 0, count(*)
     from enrollment_steps s join enrollments e on e.workspace_id = s.workspace_id and e.id = s.enrollment_id group by 1, 2, 3, 4, 5
   union all
   select workspace_id, automation_id, version_id, '', end_state, 0, count(*)
     from enrollments where end_state is not null group by 1, 2, 3, 4, 5`,
  `select set_config('app.system', '', true)`,
]
