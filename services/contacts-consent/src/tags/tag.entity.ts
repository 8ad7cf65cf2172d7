import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, kyselyOf, newId, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { unknownReference } from '../values/ids.ts'
import { isUuid } from '@lettergate/values/uuid'
import { mapLimitViolation } from '../workspaces/limit-violation.ts'
import { workspaceLimits } from '../workspaces/workspace-limits.ts'

/** The tag catalogue of a workspace, with unique names. Contacts refer to tags by id. */
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

/** Tags by name with the number of their contacts. The number is stored, so the cost does not grow with the contacts. */
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

/** One tag for the API. The transaction must hold it. */
export async function countedTag(em: Em, workspaceId: string, id: string) {
  const [tag] = await countedTags(em, workspaceId, id)
  if (!tag) throw new Error('a tag that this transaction holds is not there')
  return tag
}

/** The tag with this name, or otherwise with this id. The id of a merged tag refers to the remaining tag. */
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

/** The ids of the given names. Names that are not in the catalogue are left out. */
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

const countTags = statement('count-tags', { count: column.integer() })

/** How many tags the workspace can still have. */
export async function roomForTags(em: Em, workspaceId: string): Promise<number> {
  const counted = await countTags.row(
    em,
    sql`select count(*)::int as count from tags where workspace_id = ${workspaceId}`,
  )
  return Math.max(0, workspaceLimits.tags - counted!.count)
}

/** Adds names to the catalogue and answers the new ones. Throws Fault `failed_precondition` above the limit of a workspace. */
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
    .catch(mapLimitViolation('tags'))
}

const triesMax = 5

const changedMeanwhile = () =>
  new Fault('conflict', 'tag', 'Somebody else renamed or merged this tag at the same moment. Look at it and try again.')

/** Of names that the catalogue does not have, those to register; `ids` are those of the others. */
export type ChooseNames = (missing: readonly string[], ids: ReadonlyMap<string, string>) => Promise<readonly string[]>

/**
 * The ids of these names. Missing tags are registered, all or those that `choose` returns. The tags are held: until the transaction
 * ends, no other transaction can rename or merge them. Call this before locking contacts. Throws Fault `conflict` if concurrent
 * changes continue.
 */
export async function holdTags(
  em: Em,
  workspaceId: string,
  names: readonly string[],
  choose: ChooseNames = async (missing) => missing,
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  for (let tries = 0; tries < triesMax; tries += 1) {
    const held = await selectTags(em, workspaceId)
      .where('name', '=', (eb) => eb.fn.any(eb.val([...names])))
      .orderBy('id')
      .forKeyShare()
      .execute()
    const ids = new Map(held.map(({ id, name }) => [name, id]))
    const missing = names.filter((name) => !ids.has(name))
    const chosen = missing.length === 0 ? [] : await choose(missing, ids)
    if (chosen.length === 0) return ids
    await registerNames(em, workspaceId, chosen)
  }
  throw changedMeanwhile()
}

/**
 * The tag with this name or id, held as in `holdTags`. A missing name is registered. Throws Fault `conflict` if concurrent
 * changes continue, and `invalid_argument` for an unknown id: text in the form of an id does not become a name.
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

const selectAllNamed = statement('select-tags-by-names-or-ids', { named: column.text(), id: column.uuid() })

/**
 * The ids of the tags with these names, or otherwise ids, held as in `holdTags`. Unknown ones are left out, and none is
 * registered. Throws Fault `conflict` if concurrent changes continue.
 */
export async function holdNamedTags(
  em: Em,
  workspaceId: string,
  named: readonly string[],
): Promise<Map<string, string>> {
  if (named.length === 0) return new Map()
  const ids = named.map((one) => (isUuid(one) ? one : null))
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await selectAllNamed.rows(
      em,
      sql`select q.named, t.id from unnest(${[...named]}::text[], ${ids}::uuid[]) as q (named, id)
           cross join lateral (
                 select k.id from tags k
                  where k.workspace_id = ${workspaceId}
                    and (k.name = q.named or k.id = q.id
                         or k.id = (select m.into_id from merged_tags m where m.workspace_id = ${workspaceId} and m.id = q.id))
                  order by k.name <> q.named limit 1) t`,
    )
    const wanted = [...new Set(found.map(({ id }) => id))]
    const held = await selectTags(em, workspaceId)
      .where('id', '=', (eb) => eb.fn.any(eb.val(wanted)))
      .orderBy('id')
      .forKeyShare()
      .execute()
    if (held.length === wanted.length) return new Map(found.map((one) => [one.named, one.id]))
  }
  throw changedMeanwhile()
}

/** Locks tags for a rename or merge, always in the same order. Unknown tags are left out. */
export const holdForChange = (em: Em, workspaceId: string, ids: readonly string[]): Promise<TagRow[]> =>
  selectTags(em, workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .forUpdate()
    .execute()
