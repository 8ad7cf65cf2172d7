import { sql } from '@lettergate/database'
import type { ContactFilter } from '../domain/contact-filter.ts'
import { idCeiling, idFloor } from '../domain/page.ts'
import { contactMatches } from './contact-search.ts'

/** Whether mail to contact c is stopped by a suppression of this workspace, or for its address everywhere. */
export const suppressedHere = (workspaceId: string) => sql`(
  exists (select 1 from suppressions s
           where s.workspace_id = ${workspaceId} and s.contact_id = c.id and s.resolved_at is null)
  or exists (select 1 from platform_suppressions p
              where p.normalized_email = c.normalized_email and p.resolved_at is null))`

const ofThisWorkspace = (workspaceId: string) => sql`
  c.id in (select s.contact_id from suppressions s where s.workspace_id = ${workspaceId} and s.resolved_at is null)`

const ofThePlatform = (workspaceId: string) => sql`
  c.id in (select k.id from platform_suppressions p
             join contacts k on k.workspace_id = ${workspaceId} and k.normalized_email = p.normalized_email
            where p.resolved_at is null)`

function memberOf(workspaceId: string, audienceId: string, state: ContactFilter['memberState']) {
  const isActive = sql`m.is_active`
  const isWithdrawn = sql`not m.is_active and m.consent = 'withdrawn'`
  return sql`c.id in (
    select m.contact_id from memberships m
     where m.workspace_id = ${workspaceId} and m.audience_id = ${audienceId}
       and ${state === null ? sql`true` : state === 'active' ? isActive : isWithdrawn})`
}

function conditions(workspaceId: string, filter: ContactFilter, after: string | null) {
  const { search, tags, audienceId, memberState, legacyClassification, createdAfter, createdBefore } = filter
  const all = [sql`c.workspace_id = ${workspaceId}`]
  if (after !== null) all.push(sql`c.id < ${after}::uuid`)
  if (search) all.push(contactMatches(search))
  if (tags.length > 0)
    all.push(sql`tag_keys(c.workspace_id, c.tags) && tag_keys(${workspaceId}::uuid, ${[...tags]}::text[])`)
  if (audienceId !== null) all.push(memberOf(workspaceId, audienceId, memberState))
  if (legacyClassification !== null) all.push(sql`c.legacy_consent_classification = ${legacyClassification}`)
  if (createdAfter) all.push(sql`c.id >= ${idFloor(createdAfter)}::uuid and c.created_at > ${createdAfter}`)
  if (createdBefore) all.push(sql`c.id < ${idCeiling(createdBefore)}::uuid and c.created_at < ${createdBefore}`)
  if (filter.isSuppressed === false) all.push(sql`not ${suppressedHere(workspaceId)}`)
  return all
}

/**
 * The ids of the newest contacts that all the filters name, older than `after`. Each filter has an index; who is
 * suppressed by the workspace and who by the platform are looked for apart, because one plan cannot be quick at both.
 */
export function contactsOnPage(workspaceId: string, filter: ContactFilter, after: string | null, limit: number) {
  const all = conditions(workspaceId, filter, after)
  const newest = (also: ReturnType<typeof sql>) => sql`
    select c.id from contacts c where ${sql.join([...all, also], sql` and `)} order by c.id desc limit ${limit}`
  if (filter.isSuppressed !== true) return newest(sql`true`)
  return sql`(${newest(ofThisWorkspace(workspaceId))}) union (${newest(ofThePlatform(workspaceId))})
    order by id desc limit ${limit}`
}
