import { column, columns, nullable, sql, statement, type Em, type Sql } from '@lettergate/database'
import type { Search } from '../search/search.ts'
import { addressMatches, matchingAddresses } from '../search/contact-search.ts'
import { Suppression } from './suppression.entity.ts'
import { moment } from '@lettergate/values/moment'

const selectSuppressions = statement('select-newest-suppressions', {
  ...columns(Suppression),
  email: column.text(),
  audience_name: nullable(column.text()),
})
const countLookedAt = statement('count-newest-suppressions', { n: column.integer() })

const named = (workspaceId: string, conditions: readonly Sql[]) =>
  sql.join([sql`s.workspace_id = ${workspaceId}`, ...conditions], sql` and `)

const lookedAtFirst = 1_000

/**
 * The newest suppressions s that match all conditions, of contacts c that match. It first reads the newest suppressions. If these
 * do not fill the page, it reads the suppressions of every matching contact.
 */
export async function searchedSuppressions(
  em: Em,
  workspaceId: string,
  conditions: readonly Sql[],
  limit: number,
  search: Search,
) {
  const ofContacts = addressMatches(search)
  const everyContact = matchingAddresses(workspaceId, search)
  const newest = sql`(select * from suppressions s where ${named(workspaceId, conditions)}
                       order by s.id desc limit ${lookedAtFirst})`
  const found = await suppressionsFrom(em, workspaceId, newest, ofContacts, limit)
  if (found.length === limit) return found
  const looked = await countLookedAt.row(em, sql`select count(*)::int as n from ${newest} s`)
  if (looked!.n < lookedAtFirst) return found
  const ofEveryone = sql`(
    select s.* from (${everyContact}) k
     cross join lateral (select * from suppressions s where ${named(workspaceId, conditions)} and s.contact_id = k.id
                         offset 0) s)`
  return suppressionsFrom(em, workspaceId, ofEveryone, sql`true`, limit)
}

/** The newest suppressions s that match all conditions. */
export const newestSuppressions = (em: Em, workspaceId: string, conditions: readonly Sql[], limit: number) =>
  suppressionsFrom(
    em,
    workspaceId,
    sql`(select * from suppressions s where ${named(workspaceId, conditions)} order by s.id desc limit ${limit})`,
    sql`true`,
    limit,
  )

async function suppressionsFrom(em: Em, workspaceId: string, source: Sql, ofContacts: Sql, limit: number) {
  const found = await selectSuppressions.rows(
    em,
    sql`select s.*, c.email, a.name as audience_name
          from ${source} s
         cross join lateral (
               select * from contacts k where k.workspace_id = ${workspaceId} and k.id = s.contact_id limit 1) c
          left join audiences a on a.workspace_id = ${workspaceId} and a.id = s.audience_id
         where ${ofContacts}
         order by s.id desc limit ${limit}`,
  )
  return found.map((one) => ({
    id: one.id,
    contactId: one.contact_id,
    email: one.email,
    scope: one.scope,
    audienceId: one.audience_id ?? undefined,
    audienceName: one.audience_name ?? undefined,
    reason: one.reason,
    source: one.source,
    evidence: one.evidence ?? undefined,
    actor: one.actor,
    createdAt: moment(one.created_at),
    resolvedAt: moment(one.resolved_at),
    resolvedBy: one.resolved_by ?? undefined,
    resolutionReason: one.resolution_reason ?? undefined,
  }))
}
