import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, kyselyOf, newId, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { unknownReference } from '../values/ids.ts'
import { isUuid } from '@lettergate/values/uuid'
import { tellingLimit } from '../workspaces/limit-violation.ts'

/** The tag catalogue of a workspace: each name once. Contacts carry tags by id. */
export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

const tagColumns = columns(Tag, 'id', 'name')
export type TagRow = RowOf<typeof tagColumns>

const selectCounted = statement('select-counted-tags', { ...tagColumns, contacts: column.numeric() })
const selectNamed = statement('select-tag-by-name-or-id', tagColumns)
const insertNames = statement('insert-tag-names', tagColumns)

const selectTags = (em: Em, workspaceId: string) =>
  kyselyOf(em, Tag).selectFrom('tags').select(['id', 'name']).where('workspace_id', '=', workspaceId)

/** Tags by name with the number of contacts that carry them: kept, so that it costs the same for a million. */
export async function countedTags(em: Em, workspaceId: string, onlyId?: string) {
  const only = (id: ReturnType<typeof sql>) => (onlyId === undefined ? sql`true` : sql`${id} = ${onlyId}::uuid`)
  const found = await selectCounted.rows(
    em,
    sql`select t.id, t.name, coalesce(n.contacts, 0) as contacts
          from tags t
          left join (select c.tag_id, sum(c.contacts) as contacts from tag_counts c
                      where c.workspace_id = ${workspaceId} and ${only(sql`c.tag_id`)} group by c.tag_id) n on n.tag_id = t.id
         where t.workspace_id = ${workspaceId} and ${only(sql`t.id`)}
         order by lower(t.name), t.name`,
  )
  return found.map(({ id, name, contacts }) => ({ id, name, contactCount: Number(contacts) }))
}

/** One tag as answers show it. The transaction has to hold it. */
export async function countedTag(em: Em, workspaceId: string, id: string) {
  const [tag] = await countedTags(em, workspaceId, id)
  if (!tag) throw new Error('a tag that this transaction holds is not there')
  return tag
}

/** The tag with this name, or else with this id; the id of a tag that was merged away means the tag that took its place. */
export const findTag = (em: Em, workspaceId: string, named: string): Promise<TagRow | undefined> => {
  const id = isUuid(named) ? named : null
  return selectNamed.row(
    em,
    sql`select id, name from tags
         where workspace_id = ${workspaceId}
           and (name = ${named} or id = ${id}::uuid
                or id = (select into_id from merged_tags where workspace_id = ${workspaceId} and id = ${id}::uuid))
         order by name <> ${named} limit 1`,
  )
}

/** The ids of those of these names that are in the catalogue. */
export async function tagIdsByName(
  em: Em,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const found = await selectTags(em, workspaceId)
    .where('name', '=', (eb) => eb.fn.any(eb.val([...names])))
    .execute()
  return new Map(found.map(({ id, name }) => [name, id]))
}

/** Puts names into the catalogue; answers those that were not there. Fault `failed_precondition` for one too many. */
export async function registerNames(em: Em, workspaceId: string, names: readonly string[]): Promise<TagRow[]> {
  const tags = [...names].sort().map((name) => ({ id: newId(), name }))
  return insertNames
    .rows(
      em,
      sql`insert into tags (workspace_id, id, name)
        select ${workspaceId}::uuid, t.id, t.name
          from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as t (id uuid, name text)
        on conflict on constraint tags_name do nothing returning id, name`,
    )
    .catch(tellingLimit('tags'))
}

const triesMax = 5

const changedMeanwhile = () =>
  new Fault('conflict', 'tag', 'Somebody else renamed or merged this tag at the same moment. Look at it and try again.')

/**
 * The ids of these names, registered where they are not there, and held: until the transaction ends nobody renames a tag
 * or merges it away. Take this before contacts. Fault `conflict` when others do so again and again.
 */
export async function holdTags(em: Em, workspaceId: string, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  for (let tries = 0; tries < triesMax; tries += 1) {
    const held = await selectTags(em, workspaceId)
      .where('name', '=', (eb) => eb.fn.any(eb.val([...names])))
      .orderBy('id')
      .forKeyShare()
      .execute()
    const ids = new Map(held.map(({ id, name }) => [name, id]))
    const missing = names.filter((name) => !ids.has(name))
    if (missing.length === 0) return ids
    await registerNames(em, workspaceId, missing)
  }
  throw changedMeanwhile()
}

/**
 * The tag with this name or id, registered under the name when there is none, and held as `holdTags` does. Fault `conflict`
 * when others change it again and again, `invalid_argument` for an id that is nobody's: what looks like an id is not made
 * a name.
 */
export async function holdTag(em: Em, workspaceId: string, named: string): Promise<TagRow> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const known = await findTag(em, workspaceId, named)
    if (!known && isUuid(named)) throw unknownReference('tag')
    const found = known ?? (await registerNames(em, workspaceId, [named]))[0]
    const held =
      found && (await selectTags(em, workspaceId).where('id', '=', found.id).forKeyShare().executeTakeFirst())
    if (held) return held
  }
  throw changedMeanwhile()
}

/** Holds tags for a rename or merge, in the order in which everybody takes them. One that is not there is left out. */
export const holdForChange = (em: Em, workspaceId: string, ids: readonly string[]): Promise<TagRow[]> =>
  selectTags(em, workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .forUpdate()
    .execute()
