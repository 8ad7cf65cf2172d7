import { defineEntity, p } from '@mikro-orm/core'
import { sql, statement, type Em, type Sql } from '@lettergate/database'

/** The tags of contacts, with the position in the list of the contact. */
export const ContactTag = defineEntity({
  name: 'ContactTag',
  tableName: 'contact_tags',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    tagId: p.uuid().primary(),
    position: p.integer(),
  },
})

/** The names of a contact's tags in their order. Each name is looked up by id, because a contact has few tags and a workspace has many. */
export const tagNamesOf = (workspaceId: string, contactId: Sql) => sql`
  array(select (select g.name from tags g where g.workspace_id = ${workspaceId} and g.id = t.tag_id)
          from contact_tags t where t.workspace_id = ${workspaceId} and t.contact_id = ${contactId} order by t.position)`

const carrying = (workspaceId: string, tagIds: readonly string[]) =>
  sql`contact_tags t where t.workspace_id = ${workspaceId} and t.tag_id = any(${[...tagIds]}::uuid[])`

/** Whether a contact has one of these tags, by one lookup for each contact. */
export const carriesAny = (workspaceId: string, contactId: Sql, tagIds: readonly string[]) =>
  sql`coalesce((select true from ${carrying(workspaceId, tagIds)} and t.contact_id = ${contactId} limit 1), false)`

/** The ids of all contacts with one of these tags. With one tag, they are in order. */
export const withAnyTag = (workspaceId: string, tagIds: readonly string[]) =>
  tagIds.length === 1
    ? sql`select t.contact_id as id from contact_tags t where t.workspace_id = ${workspaceId} and t.tag_id = ${tagIds[0]}::uuid`
    : sql`select distinct t.contact_id as id from ${carrying(workspaceId, tagIds)}`

const replaceContactTags = statement('replace-contact-tags')

/**
 * Gives each contact exactly these tags in this order. An earlier statement must have locked the contacts and held the tags, so
 * that this statement sees concurrent writes. Unchanged rows are not written again.
 */
export async function replaceTags(
  em: Em,
  workspaceId: string,
  wanted: readonly { contactId: string; tagIds: readonly string[] }[],
): Promise<void> {
  if (wanted.length === 0) return
  const lists = wanted.map(({ contactId, tagIds }) => ({ contact_id: contactId, tag_ids: tagIds }))
  await replaceContactTags.execute(
    em,
    sql`with wanted as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(lists)}::jsonb) as w (contact_id uuid, tag_ids uuid[])),
        removed as (
          delete from contact_tags t using wanted w
           where t.workspace_id = ${workspaceId} and t.contact_id = w.contact_id and t.tag_id <> all(w.tag_ids))
        insert into contact_tags as t (workspace_id, contact_id, tag_id, position)
        select ${workspaceId}::uuid, w.contact_id, l.tag_id, l.position::int
          from wanted w cross join lateral unnest(w.tag_ids) with ordinality as l (tag_id, position)
         where not exists (select 1 from contact_tags k where k.workspace_id = ${workspaceId} and k.contact_id = w.contact_id
                              and k.tag_id = l.tag_id and k.position = l.position)
        on conflict (workspace_id, contact_id, tag_id) do update set position = excluded.position`,
  )
}
