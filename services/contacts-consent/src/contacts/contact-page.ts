import { column, columns, leftJoined, sql, statement, type Em } from '@lettergate/database'
import type { ContactFilter } from './contact-filter.ts'
import { idCeiling, idFloor } from '@lettergate/database/page'
import { readInOrder, sortAgain } from '../search/read-in-order.ts'
import { contactMatches, matchingContacts } from '../search/contact-search.ts'
import { carriesAny, withAnyTag } from '../tags/contact-tag.entity.ts'
import { tagIdsByName } from '../tags/tag.entity.ts'
import { Contact } from './contact.entity.ts'

const idColumns = columns(Contact, 'id')
const selectNewest = statement('select-newest-contacts', idColumns)
const selectAmongNewest = statement('select-among-newest-contacts', {
  ...leftJoined(idColumns),
  looked_at: column.integer(),
})
const selectAmongFound = statement('select-among-found-contacts', idColumns)

/** Whether contact c has a suppression in this workspace or a platform suppression. It is evaluated for each contact. */
export const suppressedHere = (workspaceId: string) => sql`coalesce(
  (select true from suppressions s
    where s.workspace_id = ${workspaceId} and s.contact_id = c.id and s.resolved_at is null limit 1),
  (select true from platform_suppressions p
    where p.normalized_email = c.normalized_email and p.resolved_at is null limit 1), false)`

const suppressedByWorkspace = (workspaceId: string) => sql`
  select distinct s.contact_id as id from suppressions s where s.workspace_id = ${workspaceId} and s.resolved_at is null`

const suppressedByPlatform = (workspaceId: string) => sql`
  select k.id from platform_suppressions p
   cross join lateral (select x.id from contacts x where x.workspace_id = ${workspaceId}
                          and x.normalized_email = p.normalized_email limit 1) k
   where p.resolved_at is null`

function memberships(workspaceId: string, audienceId: string, state: ContactFilter['memberState']) {
  const inState = {
    active: sql`m.is_active`,
    withdrawn: sql`not m.is_active and m.consent = 'withdrawn'`,
    under_review: sql`m.under_review_since is not null`,
  }
  return sql`memberships m
    where m.workspace_id = ${workspaceId} and m.audience_id = ${audienceId} and ${state === null ? sql`true` : inState[state]}`
}

/** A filter with the ids of its tags. An unknown tag has no id, and no contact has it. */
type Resolved = ContactFilter & { tagIds: readonly string[] }

function conditions(workspaceId: string, filter: Resolved) {
  const { search, tags, tagIds, audienceId, memberState, isSuppressed, legacyClassification } = filter
  const all = [sql`true`]
  if (search) all.push(contactMatches(search))
  if (tags.length > 0) all.push(carriesAny(workspaceId, sql`c.id`, tagIds))
  if (legacyClassification !== null) all.push(sql`c.legacy_consent_classification = ${legacyClassification}`)
  if (filter.createdAfter) all.push(sql`c.created_at > ${filter.createdAfter}`)
  if (filter.createdBefore) all.push(sql`c.created_at < ${filter.createdBefore}`)
  if (isSuppressed !== null) all.push(sql`${suppressedHere(workspaceId)} = ${isSuppressed}`)
  if (audienceId !== null)
    all.push(sql`exists (select 1 from ${memberships(workspaceId, audienceId, memberState)} and m.contact_id = c.id)`)
  return sql.join(all, sql` and `)
}

/** The id range of the page. The ids of contacts are ordered by creation time. */
function between({ createdAfter, createdBefore }: ContactFilter, after: string | null, id: ReturnType<typeof sql>) {
  const bounds = [sql`true`]
  if (after !== null) bounds.push(sql`${id} < ${after}::uuid`)
  if (createdAfter) bounds.push(sql`${id} >= ${idFloor(createdAfter)}::uuid`)
  if (createdBefore) bounds.push(sql`${id} < ${idCeiling(createdBefore)}::uuid`)
  return sql.join(bounds, sql` and `)
}

/** The index queries of the most selective filter. Empty if no filter has an index. */
function indexQueries(workspaceId: string, filter: Resolved) {
  const { search, tags, tagIds, audienceId, memberState, isSuppressed, legacyClassification } = filter
  if (search) return matchingContacts(workspaceId, search)
  if (tags.length > 0) return [withAnyTag(workspaceId, tagIds)]
  if (legacyClassification !== null)
    return [
      sql`select c.id from contacts c
           where c.workspace_id = ${workspaceId} and c.legacy_consent_classification = ${legacyClassification}`,
    ]
  if (isSuppressed === true) return [suppressedByWorkspace(workspaceId), suppressedByPlatform(workspaceId)]
  if (audienceId !== null)
    return [sql`select m.contact_id as id from ${memberships(workspaceId, audienceId, memberState)}`]
  return []
}

export interface ContactPageRequest {
  filter: ContactFilter
  /** the last contact of the previous page */
  after: string | null
  limit: number
}

const scannedFirst = 1_000

/**
 * The ids of the newest contacts that match all filters, older than `after`. It first tests the newest contacts, which is enough
 * for filters with many matches. Otherwise it uses the index queries. So the cost of a page depends on the number of matches,
 * not on the size of the workspace.
 */
export async function contactsOnPage(em: Em, workspaceId: string, page: ContactPageRequest): Promise<string[]> {
  const { after, limit } = page
  const tagIds = [...(await tagIdsByName(em, workspaceId, page.filter.tags)).values()]
  const filter = { ...page.filter, tagIds }
  const within = conditions(workspaceId, filter)
  const queries = indexQueries(workspaceId, filter)
  await readInOrder(em)
  if (queries.length === 0) {
    const newestAll = await selectNewest.rows(
      em,
      sql`select c.id from contacts c
           where c.workspace_id = ${workspaceId} and ${between(filter, after, sql`c.id`)} and ${within}
           order by c.id desc limit ${limit}`,
    )
    return newestAll.map(({ id }) => id)
  }
  const newest = await selectAmongNewest.rows(
    em,
    sql`with c as materialized (
          select * from contacts k where k.workspace_id = ${workspaceId} and ${between(filter, after, sql`k.id`)}
           order by k.id desc limit ${scannedFirst}),
        found as (select c.id from c where ${within} order by c.id desc limit ${limit})
        select found.id, looked.looked_at from (select count(*)::int as looked_at from c) looked left join found on true
         order by found.id desc`,
  )
  const among = newest.flatMap(({ id }) => (id === null ? [] : [id]))
  if (among.length === limit || newest[0]!.looked_at < scannedFirst) return among
  await sortAgain(em)
  const found = new Set<string>()
  for (const query of queries) {
    const some = await selectAmongFound.rows(
      em,
      sql`select c.id from (select found.id from (${query}) found where ${between(filter, after, sql`found.id`)}
                             order by found.id desc) found
           cross join lateral (select * from contacts k where k.workspace_id = ${workspaceId} and k.id = found.id limit 1) c
           where ${within} order by found.id desc limit ${limit}`,
    )
    for (const { id } of some) found.add(id)
  }
  return [...found].sort().reverse().slice(0, limit)
}
