import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Lower case of every script, whatever the database's own locale, in an order in which a beginning is a range. */
const searched = (column: string) => `(lower(${column} collate "und-x-icu") collate "C")`

const lists = [
  // What a search may begin with. The order by id is the order of the list.
  `create index contacts_by_email on contacts (workspace_id, normalized_email collate "C")`,
  `create index contacts_by_domain on contacts (workspace_id, split_part(normalized_email, '@', 2), id)`,
  ...['first_name', 'last_name', 'company'].map(
    (column) =>
      `create index contacts_by_${column} on contacts (workspace_id, ${searched(column)}) where ${column} is not null`,
  ),
  `create index contacts_by_legacy_classification on contacts (workspace_id, legacy_consent_classification, id)
     where legacy_consent_classification is not null`,

  // One workspace's tags are keys of their own, so that nobody's search reads what another tenant calls the same.
  `create function tag_keys(workspace_id uuid, tags text[]) returns text[] language sql immutable strict parallel safe
     as $$ select coalesce(array_agg(workspace_id::text || ' ' || tag), '{}') from unnest(tags) as tag $$`,
  // A short pending list: what an upsert leaves behind is small, and so is what one of them has to sort in.
  `create index contacts_by_tag on contacts using gin (tag_keys(workspace_id, tags)) with (gin_pending_list_limit = 512)`,

  `create index memberships_by_state on memberships (workspace_id, audience_id, is_active, contact_id)`,
  `create index suppressions_by_scope on suppressions (workspace_id, scope, id)`,
  `create index suppressions_by_reason on suppressions (workspace_id, reason, id)`,
  `create index suppressions_standing on suppressions (workspace_id, id) where resolved_at is null`,
  `create index suppressions_resolved on suppressions (workspace_id, id) where resolved_at is not null`,
  `create index consent_events_by_audience on consent_events (workspace_id, audience_id, id) where audience_id is not null`,
  `create index consent_events_by_kind on consent_events (workspace_id, kind, id)`,
]

const counts = [
  // As audience_member_counts: only the sum of the slots means something.
  `create table tag_counts (
     workspace_id uuid not null,
     name text not null,
     slot smallint not null check (slot between 0 and 15),
     contacts bigint not null,
     primary key (workspace_id, name, slot)
   ) with (fillfactor = 50)`,

  `create function count_tags() returns trigger language plpgsql security definer set search_path from current as $$
   begin
     if tg_op = 'INSERT' then
       insert into tag_counts as c (workspace_id, name, slot, contacts)
       select workspace_id, tag, pg_backend_pid() % 16, count(*) from now_rows, unnest(tags) as tag
        group by workspace_id, tag order by workspace_id, tag
       on conflict (workspace_id, name, slot) do update set contacts = c.contacts + excluded.contacts;
     elsif tg_op = 'UPDATE' then
       insert into tag_counts as c (workspace_id, name, slot, contacts)
       select workspace_id, tag, pg_backend_pid() % 16, sum(change)
         from (select workspace_id, tag, 1 as change from now_rows, unnest(tags) as tag
               union all
               select workspace_id, tag, -1 from was_rows, unnest(tags) as tag) as changes
        group by workspace_id, tag having sum(change) <> 0 order by workspace_id, tag
       on conflict (workspace_id, name, slot) do update set contacts = c.contacts + excluded.contacts;
     else
       insert into tag_counts as c (workspace_id, name, slot, contacts)
       select workspace_id, tag, pg_backend_pid() % 16, -count(*) from was_rows, unnest(tags) as tag
        group by workspace_id, tag order by workspace_id, tag
       on conflict (workspace_id, name, slot) do update set contacts = c.contacts + excluded.contacts;
     end if;
     return null;
   end $$`,

  // The first of these waits for writers and keeps new ones out until the migration commits: the backfill misses nobody.
  `create trigger contacts_tags_counted_insert after insert on contacts
     referencing new table as now_rows for each statement execute function count_tags()`,
  `create trigger contacts_tags_counted_update after update on contacts
     referencing old table as was_rows new table as now_rows for each statement execute function count_tags()`,
  `create trigger contacts_tags_counted_delete after delete on contacts
     referencing old table as was_rows for each statement execute function count_tags()`,
  `select set_config('app.system', 'migration', true)`,
  `insert into tag_counts (workspace_id, name, slot, contacts)
   select workspace_id, tag, 0, count(*) from contacts, unnest(tags) as tag group by workspace_id, tag`,
  `select set_config('app.system', '', true)`,
  ...tenantTable('tag_counts'),
]

const changes = [
  // A rename or merge: the catalogue is changed with this row, the contacts follow in batches until completed_at is set.
  `create table tag_changes (
     workspace_id uuid not null,
     id uuid not null,
     kind text not null check (kind in ('renamed', 'merged')),
     tag_id uuid not null,
     from_name text not null,
     to_name text not null check (to_name <> from_name),
     actor text not null,
     contacts_changed integer not null default 0,
     begun_xid xid8 not null default pg_current_xact_id(),
     requested_at timestamptz not null default now(),
     completed_at timestamptz,
     primary key (workspace_id, id))`,
  // One at a time in a workspace: two that share a name would depend on who comes first.
  `create unique index tag_changes_running on tag_changes (workspace_id) where completed_at is null`,
  ...tenantTable('tag_changes'),
]

export class ContactLists extends Migration {
  override name = '005-contact-lists'

  override up(): void {
    for (const statement of [...lists, ...counts, ...changes]) this.addSql(statement)
  }
}
