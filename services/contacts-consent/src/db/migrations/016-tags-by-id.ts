import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'

const tables = [
  `create table contact_tags (
     workspace_id uuid not null,
     contact_id uuid not null,
     tag_id uuid not null,
     position integer not null)`,
  // The id of a tag that was merged away goes on meaning the tag that took its place.
  `create table merged_tags (
     workspace_id uuid not null,
     id uuid not null,
     into_id uuid not null,
     primary key (workspace_id, id))`,
]

// A rename or merge that contacts were still following is completed: the old name means the new one.
const tagsOfContacts = `
  select c.workspace_id, c.id as contact_id, u.position, coalesce(r.to_name, u.name) as name
    from contacts c cross join lateral unnest(c.tags) with ordinality as u (name, position)
    left join tag_changes r on r.workspace_id = c.workspace_id and r.from_name = u.name and r.completed_at is null`

const rows = [
  `lock table contacts, tags, tag_changes in share row exclusive mode`,
  `select set_config('app.system', 'migration', true)`,
  `insert into tags (workspace_id, id, name)
   select workspace_id, gen_random_uuid(), name from (select distinct workspace_id, name from (${tagsOfContacts}) carried) named
    where not exists (select 1 from tags t where t.workspace_id = named.workspace_id and t.name = named.name)`,
  `insert into contact_tags (workspace_id, contact_id, tag_id, position)
   select carried.workspace_id, carried.contact_id, t.id, min(carried.position)
     from (${tagsOfContacts}) carried join tags t on t.workspace_id = carried.workspace_id and t.name = carried.name
    group by carried.workspace_id, carried.contact_id, t.id`,
  `insert into merged_tags (workspace_id, id, into_id)
   with recursive led (workspace_id, id, into_id) as (
     select workspace_id, tag_id, into_id from tag_changes where kind = 'merged' and into_id is not null
     union
     select led.workspace_id, led.id, c.into_id
       from led join tag_changes c on c.workspace_id = led.workspace_id and c.tag_id = led.into_id
      where c.kind = 'merged' and c.into_id is not null)
   select led.workspace_id, led.id, t.id from led join tags t on t.workspace_id = led.workspace_id and t.id = led.into_id`,
]

const constraints = [
  `alter table contact_tags
     add primary key (workspace_id, contact_id, tag_id),
     add foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade,
     add foreign key (workspace_id, tag_id) references tags (workspace_id, id)`,
  `create index contact_tags_by_tag on contact_tags (workspace_id, tag_id, contact_id)`,
  `alter table merged_tags add foreign key (workspace_id, into_id) references tags (workspace_id, id)`,
  ...tenantTable('contact_tags'),
  ...tenantTable('merged_tags'),
]

const dropped = [
  ...['insert', 'update', 'delete'].map((event) => `drop trigger contacts_tags_counted_${event} on contacts`),
  `drop function count_tags()`,
  `drop table tag_changes`,
  `delete from contact_words where word >= 't:' and word < 't;'`,
]

const counts = [
  `delete from tag_counts`,
  // Its primary key goes with the name.
  `alter table tag_counts
     drop column name,
     add column tag_id uuid not null`,
  `alter table tag_counts
     add primary key (workspace_id, tag_id, slot),
     add foreign key (workspace_id, tag_id) references tags (workspace_id, id) on delete cascade`,
  `create function count_tags() returns trigger language plpgsql security definer set search_path from current as $$
   begin
     if tg_op = 'INSERT' then
       insert into tag_counts as c (workspace_id, tag_id, slot, contacts)
       select workspace_id, tag_id, pg_backend_pid() % 16, count(*) from now_rows
        group by workspace_id, tag_id order by workspace_id, tag_id
       on conflict (workspace_id, tag_id, slot) do update set contacts = c.contacts + excluded.contacts;
     elsif tg_op = 'UPDATE' then
       insert into tag_counts as c (workspace_id, tag_id, slot, contacts)
       select workspace_id, tag_id, pg_backend_pid() % 16, sum(change)
         from (select workspace_id, tag_id, 1 as change from now_rows
               union all
               select workspace_id, tag_id, -1 from was_rows) as changes
        group by workspace_id, tag_id having sum(change) <> 0 order by workspace_id, tag_id
       on conflict (workspace_id, tag_id, slot) do update set contacts = c.contacts + excluded.contacts;
     else
       insert into tag_counts as c (workspace_id, tag_id, slot, contacts)
       select workspace_id, tag_id, pg_backend_pid() % 16, -count(*) from was_rows
        group by workspace_id, tag_id order by workspace_id, tag_id
       on conflict (workspace_id, tag_id, slot) do update set contacts = c.contacts + excluded.contacts;
     end if;
     return null;
   end $$`,
  `create trigger contact_tags_counted_insert after insert on contact_tags
     referencing new table as now_rows for each statement execute function count_tags()`,
  `create trigger contact_tags_counted_update after update on contact_tags
     referencing old table as was_rows new table as now_rows for each statement execute function count_tags()`,
  `create trigger contact_tags_counted_delete after delete on contact_tags
     referencing old table as was_rows for each statement execute function count_tags()`,
  `insert into tag_counts (workspace_id, tag_id, slot, contacts)
   select workspace_id, tag_id, 0, count(*) from contact_tags group by workspace_id, tag_id`,
  `select set_config('app.system', '', true)`,
]

const wordsOf = (rows: string) => `
  select c.workspace_id, w.word, c.id
    from ${rows} c, words_of(c.first_name, c.last_name, c.company, c.normalized_email) as w (word)`

// As in 005, without tags.
const words = [
  `create function words_of(first_name text, last_name text, company text, normalized_email text)
     returns setof text language sql immutable rows 4 as $$
     select 'n:' || in_lower_case(name) from unnest(array[first_name, last_name, company]) as name where name <> ''
     union all
     select 'd:' || split_part(normalized_email, '@', 2) $$`,
  `create or replace function keep_contact_words() returns trigger language plpgsql security definer set search_path from current as $$
   declare
     workspaces uuid[];
     gone text[];
     ids uuid[];
   begin
     if tg_op = 'INSERT' then
       insert into contact_words (workspace_id, word, contact_id) ${wordsOf('now_rows')} on conflict do nothing;
       return null;
     elsif tg_op = 'UPDATE' then
       if not exists (
         select 1 from was_rows w join now_rows n using (workspace_id, id)
          where (w.first_name, w.last_name, w.company, w.normalized_email)
                is distinct from (n.first_name, n.last_name, n.company, n.normalized_email)) then
         return null;
       end if;
       select array_agg(g.workspace_id), array_agg(g.word), array_agg(g.id) into workspaces, gone, ids
         from (${wordsOf('was_rows')} except ${wordsOf('now_rows')}) g;
       insert into contact_words (workspace_id, word, contact_id)
       ${wordsOf('now_rows')} except ${wordsOf('was_rows')} on conflict do nothing;
     else
       select array_agg(c.workspace_id), array_agg(c.word), array_agg(c.id) into workspaces, gone, ids
         from (${wordsOf('was_rows')}) c;
     end if;
     -- by arrays, because their length is known to the planner: what it takes for many it would look for in the whole table
     delete from contact_words d using unnest(workspaces, gone, ids) as g (workspace_id, word, id)
      where d.workspace_id = g.workspace_id and d.word = g.word and d.contact_id = g.id;
     return null;
   end $$`,
  `drop function words_of(text[], text, text, text, text)`,
  `alter table contacts drop column tags`,
  ...ownSearchPath(),
]

/** Contacts carry tags by id in rows of their own, so that a rename is one row and a merge one statement. */
export class TagsById extends Migration {
  override name = '016-tags-by-id'

  override up(): void {
    for (const statement of [...tables, ...rows, ...constraints, ...dropped, ...counts, ...words])
      this.addSql(statement)
  }
}
