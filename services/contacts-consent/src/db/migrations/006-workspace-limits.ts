import { Migration } from '@mikro-orm/migrations'

// All of each are answered in one list, which has to fit into one message of 16 MiB: at their longest, about 3 MiB of
// audiences, 4 of tags, 13 of sources and 15 of fields. Counted when a statement has inserted, one inserter of a
// workspace at a time, so that nobody passes a limit by being quick and no statement can forget to look.
const limits = [
  `create function refuse_beyond_limit() returns trigger language plpgsql set search_path from current as $$
   declare
     most constant integer := tg_argv[0];
     counted constant text := tg_argv[1];
     workspace uuid;
     found integer;
   begin
     for workspace in select distinct workspace_id from added order by workspace_id loop
       perform pg_advisory_xact_lock(hashtextextended(format('%s of %s', tg_table_name, workspace), 0));
       execute format('select count(*) from (select from %I where workspace_id = $1 and %s limit $2) one', tg_table_name, counted)
          into found using workspace, most + 1;
       if found > most then
         raise exception 'a workspace has at most % %', most, tg_table_name
           using errcode = 'check_violation', table = tg_table_name, constraint = tg_table_name || '_limit';
       end if;
     end loop;
     return null;
   end $$`,
  ...[
    ['audiences', 1_000, 'true'],
    ['tags', 10_000, 'true'],
    ['subscription_sources', 200, 'true'],
    ['field_definitions', 500, 'version = 1'],
  ].map(
    ([table, most, counted]) =>
      `create trigger ${table}_limit after insert on ${table} referencing new table as added
         for each statement execute function refuse_beyond_limit(${most}, '${counted}')`,
  ),
]

// The id of a tag that was merged away goes on meaning the tag that took its place.
const merges = [
  `alter table tag_changes add column into_id uuid`,
  `create index tag_changes_merged on tag_changes (workspace_id, tag_id) where kind = 'merged'`,
]

export class WorkspaceLimits extends Migration {
  override name = '006-workspace-limits'

  override up(): void {
    for (const statement of [...limits, ...merges]) this.addSql(statement)
  }
}
