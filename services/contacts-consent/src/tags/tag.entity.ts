import { defineEntity, p } from '@mikro-orm/core'
import { execute, newId, row, rows, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isId, unknownReference } from '../values/ids.ts'
import { carriedDuring } from './tag-names.ts'
import { runningTagChange, survivorOf } from './tag-change.entity.ts'
import { tellingLimit } from '../workspaces/limit-violation.ts'

/** The catalogue of tag names of a workspace; which contact has which stands on the contact. */
export const Tags = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(),
  },
})

export interface TagRow {
  id: string
  name: string
}

/**
 * Tags with the number of contacts that carry them: kept, so that it costs the same for a million. Contacts that still
 * carry the old name of a running change count for the new one.
 */
export async function countedTags(em: Em, workspaceId: string, only?: TagRow) {
  const running = await runningTagChange(em, workspaceId)
  const { from = null, to = null } = running ?? {}
  const names = only && [only.name, ...(only.name === to && from !== null ? [from] : [])]
  const found = await rows<TagRow & { contacts: string }>(
    em,
    sql`select t.id, t.name, coalesce(n.contacts, 0) as contacts
          from tags t
          left join (select case when c.name = ${from}::text then ${to}::text else c.name end as name, sum(c.contacts) as contacts
                       from tag_counts c
                      where c.workspace_id = ${workspaceId} and ${names ? sql`c.name = any(${names}::text[])` : sql`true`}
                      group by 1) n on n.name = t.name
         where t.workspace_id = ${workspaceId} and ${only ? sql`t.id = ${only.id}` : sql`true`}
         order by lower(t.name), t.name`,
  )
  return found.map(({ id, name, contacts }) => ({ id, name, contactCount: Number(contacts) }))
}

const changedMeanwhile = () =>
  new Fault('conflict', 'tag', 'Somebody else renamed or merged this tag at the same moment. Look at it and try again.')

/** One tag as answers show it. Fault `conflict` when it was merged into another meanwhile. */
export async function countedTag(em: Em, workspaceId: string, id: string) {
  const known = await row<TagRow>(em, sql`select id, name from tags where workspace_id = ${workspaceId} and id = ${id}`)
  const [tag] = known ? await countedTags(em, workspaceId, known) : []
  if (!tag) throw changedMeanwhile()
  return tag
}

/**
 * The tag with this name, or else with this id. The old name of a running change means the new one, and the id of a tag
 * that was merged away the tag that took its place.
 */
export async function findTag(em: Em, workspaceId: string, named: string): Promise<TagRow | undefined> {
  const running = await runningTagChange(em, workspaceId)
  const name = named === running?.from ? running.to : named
  const id = isId(named) ? named : null
  const found = await row<TagRow>(
    em,
    sql`select id, name from tags
         where workspace_id = ${workspaceId} and (name = ${name} or id = ${id}::uuid)
         order by name <> ${name} limit 1`,
  )
  return found ?? (id === null ? undefined : survivorOf(em, workspaceId, id))
}

/** Puts a name into the catalogue. undefined: it is there already. Fault `failed_precondition` for one too many. */
export async function registerName(em: Em, workspaceId: string, name: string): Promise<TagRow | undefined> {
  const id = newId()
  const registered = await execute(
    em,
    sql`insert into tags (workspace_id, id, name) values (${workspaceId}, ${id}, ${name})
        on conflict on constraint tags_name do nothing`,
  ).catch(tellingLimit('tags'))
  return registered === 1 ? { id, name } : undefined
}

const triesMax = 5

/**
 * The tag with this name or id, registered under the name when there is none, and held: until the transaction ends
 * nobody renames it or merges it away. Fault `conflict` when others do so again and again, `invalid_argument` for an id
 * that is nobody's: what looks like an id is not made a name.
 */
export async function holdTag(em: Em, workspaceId: string, named: string): Promise<TagRow> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const known = await findTag(em, workspaceId, named)
    if (!known && isId(named)) throw unknownReference('tag')
    const found = known ?? (await registerName(em, workspaceId, named))
    const held =
      found &&
      (await row<TagRow>(
        em,
        sql`select id, name from tags where workspace_id = ${workspaceId} and id = ${found.id} for key share`,
      ))
    if (held) return held
  }
  throw changedMeanwhile()
}

/** Whoever carries one of these, and whoever still carries the name that a running change takes from them. */
export async function namesCarried(em: Em, workspaceId: string, names: readonly string[]): Promise<string[]> {
  return carriedDuring(await runningTagChange(em, workspaceId), names)
}
