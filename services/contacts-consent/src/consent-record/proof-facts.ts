import {
  column,
  columns,
  leftJoined,
  nullable,
  sql,
  statement,
  type Em,
  type Row,
  type RowOf,
} from '@lettergate/database'
import { Audience } from '../audiences/audience.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'
import type { Workspace } from '../workspaces/workspace.entity.ts'
import type { ProofContent, StandingSuppression } from './consent-proof.ts'
import type { Head } from './seal-hashes.ts'

const standingColumns = {
  ...columns(Audience, 'id', 'name', 'slug'),
  archived_at: nullable(column.text()),
  ...leftJoined(columns(Membership, 'consent_event_id')),
  /** null when the contact has no membership */
  since: nullable(column.text()),
  under_review_since: nullable(column.text()),
  last_handed_off_at: nullable(column.text()),
}
const selectStandings = statement('select-audience-standings', standingColumns)
export type AudienceStanding = RowOf<typeof standingColumns>

const factColumns = {
  workspace: nullable(column.json<Pick<Row<typeof Workspace>, 'organization' | 'slug' | 'name'>>()),
  contact: nullable(column.json<Omit<ProofContent['contact'], 'id' | 'exists'>>()),
  head: nullable(column.json<Head>()),
  /** of the record itself, sealed or not */
  events: column.integer(),
  has_waiting: column.boolean(),
}
const selectFacts = statement('select-proof-facts', factColumns)

const selectSuppressions = statement('select-suppressions-of-proof', {
  id: nullable(column.uuid()),
  scope: column.text(),
  audience_id: nullable(column.uuid()),
  reason: column.text(),
  source: nullable(column.text()),
  created_at: column.text(),
})

/** The contact and the end of the record. */
export const proofFacts = async (em: Em, workspaceId: string, contactId: string): Promise<RowOf<typeof factColumns>> =>
  (await selectFacts.row(
    em,
    sql`select (select jsonb_build_object('organization', organization, 'slug', slug, 'name', name)
                  from workspaces where workspace_id = ${workspaceId}) as workspace,
               (select jsonb_build_object('normalized_email', normalized_email,
                         'legacy_consent_classification', legacy_consent_classification,
                         'legacy_consent_evidence', legacy_consent_evidence)
                  from contacts where workspace_id = ${workspaceId} and id = ${contactId}) as contact,
               (select jsonb_build_object('position', position, 'sha256', sha256)
                  from consent_seals where workspace_id = ${workspaceId} order by position desc limit 1) as head,
               (select count(*)::int from consent_events where workspace_id = ${workspaceId} and contact_id = ${contactId}) as events,
               exists (select 1 from unsealed_consent_batches
                        where workspace_id = ${workspaceId} and contact_ids @> array[${contactId}]::uuid[]) as has_waiting`,
  ))!

/** Every audience that is not archived, and every other audience with data about the contact. */
export const audienceStandings = (em: Em, workspaceId: string, contactId: string) =>
  selectStandings.rows(
    em,
    sql`select a.id, a.name, a.slug, to_jsonb(a.archived_at) #>> '{}' as archived_at,
               m.consent_event_id, to_jsonb(coalesce(m.consent_changed_at, m.created_at)) #>> '{}' as since,
               to_jsonb(m.under_review_since) #>> '{}' as under_review_since,
               to_jsonb(m.last_handed_off_at) #>> '{}' as last_handed_off_at
          from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and (a.archived_at is null or m.contact_id is not null)
         order by a.slug`,
  )

/** The suppressions of this contact. For a platform suppression of another workspace, only its reason. */
export const standingSuppressions = (em: Em, workspaceId: string, contactId: string): Promise<StandingSuppression[]> =>
  selectSuppressions.rows(
    em,
    sql`select id, scope, audience_id, reason, source, to_jsonb(created_at) #>> '{}' as created_at from suppressions
         where workspace_id = ${workspaceId} and contact_id = ${contactId} and resolved_at is null
        union all
        select null, 'platform', null, s.reason, null, to_jsonb(s.created_at) #>> '{}'
          from contacts c
          join platform_suppressions s on s.normalized_email = c.normalized_email and s.resolved_at is null
         where c.workspace_id = ${workspaceId} and c.id = ${contactId}
           and not exists (select 1 from suppressions own where own.workspace_id = ${workspaceId} and own.id = s.id)
         order by created_at, id`,
  )
