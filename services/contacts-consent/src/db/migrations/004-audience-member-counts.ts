import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const counts = [
  // A slot may be negative, because different sessions may subscribe and unsubscribe. Only the sum is meaningful.
  `create table audience_member_counts (
     workspace_id uuid not null,
     audience_id uuid not null,
     slot smallint not null check (slot between 0 and 15),
     members bigint not null,
     primary key (workspace_id, audience_id, slot),
     foreign key (workspace_id, audience_id) references audiences (workspace_id, id) on delete cascade
   ) with (fillfactor = 50)`,

  // It runs with the rights of the table's owner, so that it works for every role that may write memberships. When an audience is
  // deleted, its counts are deleted too, so these changes are not counted.
  `create function count_audience_members() returns trigger language plpgsql security definer set search_path from current as $$
   begin
     if tg_op = 'INSERT' then
       insert into audience_member_counts as c (workspace_id, audience_id, slot, members)
       select workspace_id, audience_id, pg_backend_pid() % 16, count(*) from now_rows where is_active
        group by workspace_id, audience_id order by workspace_id, audience_id
       on conflict (workspace_id, audience_id, slot) do update set members = c.members + excluded.members;
     elsif tg_op = 'UPDATE' then
       insert into audience_member_counts as c (workspace_id, audience_id, slot, members)
       select workspace_id, audience_id, pg_backend_pid() % 16, sum(change)
         from (select workspace_id, audience_id, 1 as change from now_rows where is_active
               union all
               select workspace_id, audience_id, -1 from was_rows where is_active) as changes
        group by workspace_id, audience_id having sum(change) <> 0 order by workspace_id, audience_id
       on conflict (workspace_id, audience_id, slot) do update set members = c.members + excluded.members;
     else
       insert into audience_member_counts as c (workspace_id, audience_id, slot, members)
       select workspace_id, audience_id, pg_backend_pid() % 16, -count(*) from was_rows where is_active
          and exists (select 1 from audiences a where a.workspace_id = was_rows.workspace_id and a.id = was_rows.audience_id)
        group by workspace_id, audience_id order by workspace_id, audience_id
       on conflict (workspace_id, audience_id, slot) do update set members = c.members + excluded.members;
     end if;
     return null;
   end $$`,

  // Creating the first trigger blocks writers until the migration commits, so the backfill is complete.
  `create trigger memberships_counted_insert after insert on memberships
     referencing new table as now_rows for each statement execute function count_audience_members()`,
  `create trigger memberships_counted_update after update on memberships
     referencing old table as was_rows new table as now_rows for each statement execute function count_audience_members()`,
  `create trigger memberships_counted_delete after delete on memberships
     referencing old table as was_rows for each statement execute function count_audience_members()`,

  `select set_config('app.system', 'migration', true)`,
  `insert into audience_member_counts (workspace_id, audience_id, slot, members)
   select workspace_id, audience_id, 0, count(*) from memberships where is_active group by workspace_id, audience_id`,
  `select set_config('app.system', '', true)`,
  ...tenantTable('audience_member_counts'),
]

// A suppression stays after its audience is deleted, to show why a contact was not mailed.
const suppressions = [`alter table suppressions drop constraint if exists suppressions_workspace_id_audience_id_fkey`]

export class AudienceMemberCounts extends Migration {
  override name = '004-audience-member-counts'

  override up(): void {
    for (const statement of [...counts, ...suppressions]) this.addSql(statement)
  }
}
