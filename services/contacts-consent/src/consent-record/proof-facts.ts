import { row, rows, sql, type Em } from '@lettergate/database'
import type { StandingSuppression } from './consent-proof.ts'
import type { Head } from './seal-hashes.ts'

export interface AudienceStanding {
  id: string
  name: string
  slug: string
  archived_at: string | null
  has_membership: boolean
  consent_event_id: string | null
  since: string
  under_review_since: string | null
  last_handed_off_at: string | null
}

interface ProofFacts {
  workspace: { organization: string; slug: string; name: string } | null
  contact: {
    normalized_email: string
    legacy_consent_classification: string | null
    legacy_consent_evidence: unknown
  } | null
  head: Head | null
  /** of the record itself, sealed or not */
  events: number
  has_waiting: boolean
}

/** Who it is about and where the record stands. */
export const proofFacts = async (em: Em, workspaceId: string, contactId: string): Promise<ProofFacts> =>
  (await row<ProofFacts>(
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
               exists (select 1 from unsealed_consent_events
                        where workspace_id = ${workspaceId} and contact_id = ${contactId}) as has_waiting`,
  ))!

/** Every audience that takes subscribers, and every one in which the contact has a standing. */
export const audienceStandings = (em: Em, workspaceId: string, contactId: string) =>
  rows<AudienceStanding>(
    em,
    sql`select a.id, a.name, a.slug, to_jsonb(a.archived_at) #>> '{}' as archived_at, m.contact_id is not null as has_membership,
               m.consent_event_id, to_jsonb(coalesce(m.consent_changed_at, m.created_at)) #>> '{}' as since,
               to_jsonb(m.under_review_since) #>> '{}' as under_review_since,
               to_jsonb(m.last_handed_off_at) #>> '{}' as last_handed_off_at
          from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and (a.archived_at is null or m.contact_id is not null)
         order by a.slug`,
  )

/** What stands against mail to this contact. Of a platform suppression that another workspace made, no more than its reason. */
export const standingSuppressions = (em: Em, workspaceId: string, contactId: string) =>
  rows<StandingSuppression>(
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
