import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

// Row-level security lets only leakproof operators use an index: = < >= on text do, LIKE, lower() and && on arrays do not.
// So what contacts are found by stands in rows of its own, ready to be compared.
const words = [
  // t: a tag as it is, n: a name or company in lower case of every script, d: the domain of the address
  `create table contact_words (
     workspace_id uuid not null,
     word text collate "C" not null,
     contact_id uuid not null,
     primary key (workspace_id, word, contact_id))`,
  // Of every script, whatever the database's own locale. Plain ASCII, which most is, needs no ICU and costs a tenth.
  `create function in_lower_case(name text) returns text language sql immutable parallel safe
     as $$ select case when octet_length(name) = char_length(name) then lower(name collate "C") collate "C"
                    else lower(name collate "und-x-icu") collate "C" end $$`,
  `create function words_of(tags text[], first_name text, last_name text, company text, normalized_email text)
     returns setof text language sql immutable rows 8 as $$
     select 't:' || tag from unnest(tags) as tag
     union all
     select 'n:' || in_lower_case(name) from unnest(array[first_name, last_name, company]) as name where name <> ''
     union all
     select 'd:' || split_part(normalized_email, '@', 2) $$`,
  `create function keep_contact_words() returns trigger language plpgsql security definer set search_path from current as $$
   declare
     workspaces uuid[];
     gone text[];
     ids uuid[];
   begin
     if tg_op = 'INSERT' then
       insert into contact_words (workspace_id, word, contact_id)
       select c.workspace_id, w.word, c.id
         from now_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)
       on conflict do nothing;
       return null;
     elsif tg_op = 'UPDATE' then
       if not exists (
         select 1 from was_rows w join now_rows n using (workspace_id, id)
          where (w.tags, w.first_name, w.last_name, w.company, w.normalized_email)
                is distinct from (n.tags, n.first_name, n.last_name, n.company, n.normalized_email)) then
         return null;
       end if;
       select array_agg(g.workspace_id), array_agg(g.word), array_agg(g.id) into workspaces, gone, ids
         from (select c.workspace_id, w.word, c.id
                 from was_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)
               except
               select c.workspace_id, w.word, c.id
                 from now_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)) g;
       insert into contact_words (workspace_id, word, contact_id)
       select c.workspace_id, w.word, c.id
         from now_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)
       except
       select c.workspace_id, w.word, c.id
         from was_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)
       on conflict do nothing;
     else
       select array_agg(c.workspace_id), array_agg(w.word), array_agg(c.id) into workspaces, gone, ids
         from was_rows c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word);
     end if;
     -- by arrays, because their length is known to the planner: what it takes for many it would look for in the whole table
     delete from contact_words d using unnest(workspaces, gone, ids) as g (workspace_id, word, id)
      where d.workspace_id = g.workspace_id and d.word = g.word and d.contact_id = g.id;
     return null;
   end $$`,
  // The first of these waits for writers and keeps new ones out until the migration commits: the backfill misses nobody.
  `create trigger contacts_worded_insert after insert on contacts
     referencing new table as now_rows for each statement execute function keep_contact_words()`,
  `create trigger contacts_worded_update after update on contacts
     referencing old table as was_rows new table as now_rows for each statement execute function keep_contact_words()`,
  `create trigger contacts_worded_delete after delete on contacts
     referencing old table as was_rows for each statement execute function keep_contact_words()`,
  `select set_config('app.system', 'migration', true)`,
  `insert into contact_words (workspace_id, word, contact_id)
   select distinct c.workspace_id, w.word, c.id
     from contacts c, words_of(c.tags, c.first_name, c.last_name, c.company, c.normalized_email) as w (word)`,
  `select set_config('app.system', '', true)`,
  ...tenantTable('contact_words'),
]

const lists = [
  // The order by id is the order of the list.
  `create index contacts_by_email on contacts (workspace_id, normalized_email collate "C")`,
  `create index contacts_by_legacy_classification on contacts (workspace_id, legacy_consent_classification, id)
     where legacy_consent_classification is not null`,
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
    for (const statement of [...words, ...lists, ...counts, ...changes]) this.addSql(statement)
  }
}
