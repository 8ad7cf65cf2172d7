import { arrayOf, column, columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { Contact } from '../contacts/contact.entity.ts'
import { ContactTag } from '../tags/contact-tag.entity.ts'
import type { ContactState, AutomationStanding } from './decide-step.ts'
import type { ContactStep } from './parse-steps.ts'

const selectTags = statement('select-automation-contact-tags', {
  ...columns(ContactTag, 'contact_id'),
  tag_ids: column.uuids(),
  last_position: column.integer(),
})
const selectStandings = statement('select-automation-standings', {
  contact_id: column.uuid(),
  audience_id: column.uuid(),
  is_active: column.boolean(),
  is_granted: column.boolean(),
  is_withdrawn: column.boolean(),
  is_under_review: column.boolean(),
  is_platform_suppressed: column.boolean(),
  is_workspace_suppressed: column.boolean(),
  is_audience_suppressed: column.boolean(),
})

const idsOf = (steps: readonly ContactStep[]) => [...new Set(steps.map(({ contactId }) => contactId))]

async function tagsOf(em: Em, workspaceId: string, steps: readonly ContactStep[]) {
  const ids = idsOf(steps.filter(({ effect }) => effect.type === 'add_tag' || effect.type === 'remove_tag'))
  if (ids.length === 0) return new Map<string, never>()
  const found = await selectTags.rows(
    em,
    sql`select q.contact_id, coalesce(t.ids, '{}') as tag_ids, coalesce(t.last, 0) as last_position
          from unnest(${arrayOf(ids)}::uuid[]) as q (contact_id)
          cross join lateral (
               select array_agg(k.tag_id order by k.position) as ids, max(k.position) as last from contact_tags k
                where k.workspace_id = ${workspaceId} and k.contact_id = q.contact_id) t`,
  )
  return new Map(found.map((one) => [one.contact_id, one]))
}

const pairsOf = (steps: readonly ContactStep[]) => {
  const pairs = steps.flatMap(({ contactId, effect }) =>
    effect.type === 'add_audience' || effect.type === 'remove_audience'
      ? [[`${contactId} ${effect.audienceId}`, { contactId, audienceId: effect.audienceId }] as const]
      : [],
  )
  return [...new Map(pairs).values()]
}

/** Each contact with each audience that its steps name. An audience that is not there has a standing too. */
async function standingsOf(em: Em, workspaceId: string, steps: readonly ContactStep[]) {
  const standings = new Map<string, Map<string, AutomationStanding>>()
  const pairs = pairsOf(steps)
  if (pairs.length === 0) return standings
  const found = await selectStandings.rows(
    em,
    sql`select q.contact_id, q.audience_id,
               coalesce(m.is_active, false) as is_active,
               coalesce(m.consent = 'granted', false) as is_granted,
               coalesce(m.consent = 'withdrawn', false) or (m.consent is null and exists (
                 select 1 from consent_events e where e.workspace_id = ${workspaceId} and e.contact_id = q.contact_id
                    and e.kind = 'withdrawn' and (e.scope = 'workspace' or e.audience_id = q.audience_id))) as is_withdrawn,
               m.under_review_since is not null as is_under_review,
               exists (select 1 from platform_suppressions k
                        where k.normalized_email = c.normalized_email and k.resolved_at is null) as is_platform_suppressed,
               coalesce(s.workspace, false) as is_workspace_suppressed,
               coalesce(s.audience, false) as is_audience_suppressed
          from unnest(${arrayOf(pairs.map((one) => one.contactId))}::uuid[], ${arrayOf(pairs.map((one) => one.audienceId))}::uuid[])
               as q (contact_id, audience_id)
         cross join lateral (
               select k.normalized_email from contacts k where k.workspace_id = ${workspaceId} and k.id = q.contact_id limit 1) c
          left join lateral (
               select k.consent, k.is_active, k.under_review_since from memberships k
                where k.workspace_id = ${workspaceId} and k.audience_id = q.audience_id and k.contact_id = q.contact_id limit 1) m on true
          left join lateral (
               select bool_or(k.scope = 'workspace') as workspace, bool_or(k.audience_id = q.audience_id) as audience
                 from suppressions k
                where k.workspace_id = ${workspaceId} and k.contact_id = q.contact_id and k.resolved_at is null) s on true`,
  )
  for (const one of found) {
    const ofContact = standings.get(one.contact_id) ?? new Map<string, AutomationStanding>()
    standings.set(
      one.contact_id,
      ofContact.set(one.audience_id, {
        isActive: one.is_active,
        isGranted: one.is_granted,
        isWithdrawn: one.is_withdrawn,
        isUnderReview: one.is_under_review,
        isPlatformSuppressed: one.is_platform_suppressed,
        isWorkspaceSuppressed: one.is_workspace_suppressed,
        isAudienceSuppressed: one.is_audience_suppressed,
      }),
    )
  }
  return standings
}

async function fieldsOf(em: Em, workspaceId: string, steps: readonly ContactStep[]) {
  const ids = idsOf(steps.filter(({ effect }) => effect.type === 'update_field' || effect.type === 'adjust_score'))
  if (ids.length === 0) return new Map<string, never>()
  const found = await kyselyOf(em, Contact)
    .selectFrom('contacts')
    .select(['id', 'first_name', 'last_name', 'company', 'country_code', 'locale', 'timezone', 'phone'])
    .select(['custom_fields', 'score'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()
  return new Map(found.map((one) => [one.id, one]))
}

/** A contact before the steps of a call. */
export interface InitialState extends ContactState {
  readonly lastTagPosition: number
}

/** What these steps can change of their contacts, which must exist and be locked. */
export async function readContactStates(
  em: Em,
  workspaceId: string,
  steps: readonly ContactStep[],
): Promise<Map<string, InitialState>> {
  const [tags, standings, fields] = await Promise.all([
    tagsOf(em, workspaceId, steps),
    standingsOf(em, workspaceId, steps),
    fieldsOf(em, workspaceId, steps),
  ])
  return new Map(
    idsOf(steps).map((id) => {
      const { id: _id, custom_fields: customFields = {}, score = 0, ...texts } = fields.get(id) ?? {}
      const { tag_ids: tagIds = [], last_position: lastTagPosition = 0 } = tags.get(id) ?? {}
      return [id, { tagIds, lastTagPosition, standings: standings.get(id) ?? new Map(), texts, customFields, score }]
    }),
  )
}
