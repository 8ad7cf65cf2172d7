import {
  column,
  columns,
  lastRead,
  leftJoined,
  listOf,
  prepared,
  sql,
  statement,
  uuidsOf,
  type Em,
  type RowOf,
} from '@lettergate/database'
import { ignoring } from '@lettergate/fault'
import { Audience } from '../audiences/audience.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'
import type { JsonObject } from '@bufbuild/protobuf'
import type { EligibilityReason } from './eligibility-reasons.ts'
import type { TagCondition } from '../tags/tag-filter.ts'
import { workspaceBatch, type WorkspaceBatch } from '../workspaces/workspace-batch.ts'

/**
 * The only definition of eligibility: every reason against mailing, in a fixed order. It uses the rows w (workspace), a
 * (audience), c (contact) and m (membership). A missing row is a reason against mailing.
 */
const cases = sql`
  case when coalesce(w.is_archived, true) then 'workspace_archived' end,
  case when a.id is null or a.archived_at is not null then 'audience_archived' end,
  case when c.id is null then 'contact_missing' end,
  case when exists (select 1 from platform_suppressions s
                     where s.normalized_email = c.normalized_email and s.resolved_at is null) then 'suppressed_platform' end,
  case when exists (select 1 from suppressions s
                     where s.workspace_id = c.workspace_id and s.contact_id = c.id and s.scope || '' = 'workspace'
                       and s.resolved_at is null) then 'suppressed_workspace' end,
  case when exists (select 1 from suppressions s
                     where s.workspace_id = c.workspace_id and s.contact_id = c.id and s.scope || '' = 'audience'
                       and s.audience_id = a.id and s.resolved_at is null) then 'suppressed_audience' end,
  case when m.consent is null then 'consent_missing' end,
  case when m.consent = 'withdrawn' then 'consent_withdrawn' end,
  case when m.under_review_since is not null then 'consent_under_review' end,
  case when m.is_active is not true
        and exists (select 1 from signup_confirmations s
                     where s.workspace_id = c.workspace_id and s.contact_id = c.id and s.audience_id = a.id
                       and s.state = 'pending' and s.expires_at > now()) then 'confirmation_pending' end,
  case when c.legacy_consent_classification <> 'documented' then 'legacy_consent_unverified' end,
  case when m.is_active is not true then 'not_subscribed' end,
  case when a.minimum_interval_seconds > 0
        and m.last_handed_off_at > now() - make_interval(secs => a.minimum_interval_seconds)
       then 'minimum_interval_not_elapsed' end`

const reasons = sql`array_remove(array[${cases}]::text[], null)`

/**
 * One contact by its id. A subquery with a limit is always one index lookup. Without statistics (a new database), the planner
 * would otherwise read every contact of the workspace.
 */
const contactOf = (workspaceId: string, contactId: ReturnType<typeof sql>) => sql`
  lateral (select * from contacts k where k.workspace_id = ${workspaceId} and k.id = ${contactId} limit 1) c`

/** The rows of the definition, for the pairs of `requested` (contact_id, audience_id). */
const standing = (workspaceId: string) => sql`
  left join workspaces w on w.workspace_id = ${workspaceId}
  left join audiences a on a.workspace_id = ${workspaceId} and a.id = requested.audience_id
  left join ${contactOf(workspaceId, sql`requested.contact_id`)} on true
  left join lateral (select * from memberships k where k.workspace_id = ${workspaceId}
                        and k.audience_id = requested.audience_id and k.contact_id = requested.contact_id limit 1) m on true`

const verdictColumns = {
  has_contact: column.boolean(),
  has_audience: column.boolean(),
  reasons: column.texts<EligibilityReason[]>(),
  evaluated_at: column.timestamptz(),
}
const selectVerdicts = statement('select-verdicts', verdictColumns)
export type Verdict = RowOf<typeof verdictColumns>

export interface Question {
  contactId: string
  audienceId: string
}

const requested = (questions: readonly Question[]) => sql`
  unnest(${uuidsOf(questions.map((one) => one.contactId))}::uuid[], ${uuidsOf(questions.map((one) => one.audienceId))}::uuid[])
    with ordinality as requested (contact_id, audience_id, position)`

/** Prepared, because planning takes longer than execution. */
const readVerdicts = (em: Em, workspaceId: string, questions: readonly Question[]) =>
  selectVerdicts.rows(
    em,
    prepared(sql`select c.id is not null as has_contact, a.id is not null as has_audience, ${reasons} as reasons, now() as evaluated_at
          from ${requested(questions)} ${standing(workspaceId)} order by requested.position`),
  )

/** Batches concurrent single decisions. */
export type VerdictBatch = WorkspaceBatch<Question, Verdict>

export const openVerdictBatch = (): VerdictBatch => workspaceBatch(readVerdicts)

const contactColumns = {
  email: column.text(),
  normalized_email: column.text(),
  first_name: column.text(),
  last_name: column.text(),
  company: column.text(),
  country_code: column.text(),
  custom_fields: column.json<JsonObject>(),
}
const recipientColumns = {
  contact_id: column.uuid(),
  audience_id: column.uuid(),
  ...leftJoined(columns(Audience, 'minimum_interval_seconds')),
  reasons: column.texts<EligibilityReason[]>(),
  ...leftJoined(contactColumns),
}
const selectRecipientVerdicts = statement('select-recipient-verdicts', recipientColumns)
const contactList = listOf(contactColumns, 'c')

/**
 * A verdict with the data for an email to the contact. The contact's columns are null if the contact does not exist, and the
 * interval is null if the audience does not exist.
 */
export type RecipientVerdict = RowOf<typeof recipientColumns>

const recipientVerdicts = (workspaceId: string, questions: readonly Question[]) =>
  sql`select requested.contact_id, requested.audience_id, a.minimum_interval_seconds, ${reasons} as reasons, ${contactList}
          from ${requested(questions)} ${standing(workspaceId)}
         order by requested.position`

/** The verdicts of a batch, in input order. */
export const readRecipientVerdicts = (
  em: Em,
  workspaceId: string,
  questions: readonly Question[],
): Promise<RecipientVerdict[]> => selectRecipientVerdicts.rows(em, prepared(recipientVerdicts(workspaceId, questions)))

/** The same, as the last statement of the transaction. */
export const readLastRecipientVerdicts = (
  em: Em,
  workspaceId: string,
  questions: readonly Question[],
): Promise<RecipientVerdict[]> => selectRecipientVerdicts.rows(em, lastRead(recipientVerdicts(workspaceId, questions)))

const memberColumns = {
  ...columns(Membership, 'contact_id', 'audience_id'),
  normalized_email: column.text(),
  /** comma-separated: an empty text is cheaper to read a million times than an empty array */
  reasons: column.text(),
}
const setCursorPlan = statement('plan-member-verdicts', {
  cursor_tuple_fraction: column.text(),
  enable_nestloop: column.text(),
  jit: column.text(),
})
const declareCursor = statement('declare-member-verdicts')
const fetchMembers = statement('fetch-member-verdicts', memberColumns)
export type MemberVerdict = RowOf<typeof memberColumns>

const tagsFit = (workspaceId: string, { required, forbidden }: TagCondition) => {
  // One tag as `=`: the planner then knows that a contact has at most one such row.
  const carried = (ids: readonly string[]) => sql`
    exists (select 1 from contact_tags t where t.workspace_id = ${workspaceId} and t.contact_id = m.contact_id
                and ${ids.length === 1 ? sql`t.tag_id = ${ids[0]}::uuid` : sql`t.tag_id = any(${[...ids]}::uuid[])`})`
  const conditions = required.map(carried)
  if (forbidden.length > 0) conditions.push(sql`not ${carried(forbidden)}`)
  return sql.join(conditions, sql` and `)
}

/** A whole audience is read, so the contacts are joined and not looked up one by one. */
const members = (workspaceId: string, audienceIds: readonly string[], tags: TagCondition | null) => {
  const columns = sql`m.contact_id, m.audience_id, c.normalized_email, concat_ws(',', ${cases}) as reasons`
  const all = (selected: ReturnType<typeof sql>) => sql`
    select ${selected}
      from unnest(${[...audienceIds]}::uuid[]) with ordinality as requested (audience_id, position)
      join audiences a on a.workspace_id = ${workspaceId} and a.id = requested.audience_id
      join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = requested.audience_id and m.is_active
      join contacts c on c.workspace_id = ${workspaceId} and c.id = m.contact_id
      left join workspaces w on w.workspace_id = ${workspaceId}
     where ${tags === null ? sql`true` : tagsFit(workspaceId, tags)}`
  if (audienceIds.length === 1) return all(columns)
  return sql`
    select distinct on (contact_id) contact_id, audience_id, normalized_email, reasons
      from (${all(sql`${columns}, requested.position`)}) verdicts
     order by contact_id, reasons <> '', position`
}

/**
 * Every active member of these audiences once, batch by batch from one snapshot: under the first audience that allows
 * it, else under the first of which it is a member. Contacts that the tag filter excludes have no verdict. Memory does not grow
 * with the size of the audience.
 */
export async function* readMemberVerdicts(
  em: Em,
  workspaceId: string,
  { audienceIds, tags, batchSize }: { audienceIds: readonly string[]; tags: TagCondition | null; batchSize: number },
): AsyncGenerator<MemberVerdict[]> {
  // The whole audience is read, so the planner must not optimise for the first row. Statistics that do not know the workspace yet say
  // that it has one contact. A nested loop would then read all contacts once for each member.
  await setCursorPlan.row(
    em,
    sql`select set_config('cursor_tuple_fraction', '1.0', true) as cursor_tuple_fraction,
               set_config('enable_nestloop', 'off', true) as enable_nestloop, set_config('jit', 'off', true) as jit`,
  )
  await declareCursor.execute(
    em,
    sql`declare member_verdicts no scroll cursor for ${members(workspaceId, audienceIds, tags)}`,
  )
  const fetch = () => {
    const fetched = fetchMembers.rows(em, sql`fetch ${sql.lit(batchSize)} from member_verdicts`)
    fetched.catch((error: unknown) => ignoring(error, 'it is awaited later, and thrown then'))
    return fetched
  }
  let next = fetch()
  try {
    for (;;) {
      const batch = await next
      const isLast = batch.length < batchSize
      // The database fetches the next batch while this one is sent.
      if (!isLast) next = fetch()
      if (batch.length > 0) yield batch
      if (isLast) return
    }
  } finally {
    await Promise.allSettled([next])
  }
}
