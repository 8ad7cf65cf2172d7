import type { JsonObject } from '@bufbuild/protobuf'
import { row, rows, sql, type Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { contactColumns, contactMessage, type ContactRow } from './contact.entity.ts'
import { judgeRecipients } from '../eligibility/eligibility.ts'

const originsMax = 50

interface ProfileRow extends ContactRow {
  locale: string | null
  timezone: string | null
  phone: string | null
  is_legacy: boolean
  legacy_consent_evidence: JsonObject | null
  created_at: string
  updated_at: string
  is_platform_suppressed: boolean
}

/** Everything the contact's own row says, and whether its address is suppressed everywhere. undefined: there is none. */
export async function wholeContact(em: Em, workspaceId: string, id: string) {
  const found = await row<ProfileRow>(
    em,
    sql`select ${contactColumns(workspaceId)}, locale, timezone, phone, is_legacy, legacy_consent_evidence, created_at, updated_at,
               exists (select 1 from platform_suppressions p
                        where p.normalized_email = c.normalized_email and p.resolved_at is null) as is_platform_suppressed
          from contacts c where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return (
    found && {
      ...contactMessage(found),
      locale: found.locale ?? undefined,
      timezone: found.timezone ?? undefined,
      phone: found.phone ?? undefined,
      isLegacy: found.is_legacy,
      legacyConsentEvidence: found.legacy_consent_evidence ?? undefined,
      createdAt: moment(found.created_at),
      updatedAt: moment(found.updated_at),
      isPlatformSuppressed: found.is_platform_suppressed,
    }
  )
}

interface OriginRow {
  id: string
  source: string
  source_identifier: string | null
  source_metadata: JsonObject | null
  source_workspace: string | null
  actor: string
  actor_kind: string
  correlation_id: string
  is_creation: boolean
  recorded_at: string
}

/** Where what we know of a contact came from, newest first. */
export async function newestOrigins(em: Em, workspaceId: string, contactId: string) {
  const found = await rows<OriginRow>(
    em,
    sql`select id, source, source_identifier, source_metadata, source_workspace, actor, actor_kind, correlation_id,
               is_creation, recorded_at
          from contact_provenance where workspace_id = ${workspaceId} and contact_id = ${contactId}
         order by id desc limit ${originsMax}`,
  )
  return found.map((origin) => ({
    id: origin.id,
    source: origin.source,
    sourceIdentifier: origin.source_identifier ?? undefined,
    sourceMetadata: origin.source_metadata ?? undefined,
    sourceWorkspace: origin.source_workspace ?? undefined,
    actor: origin.actor,
    actorKind: origin.actor_kind,
    correlationId: origin.correlation_id,
    isCreation: origin.is_creation,
    recordedAt: moment(origin.recorded_at),
  }))
}

interface MembershipRow {
  audience_id: string
  audience_name: string
  is_active: boolean
  consent: string | null
  consent_event_id: string | null
  consent_changed_at: string | null
  under_review_since: string | null
  created_at: string
}

/** Where a contact stands with each audience it ever had to do with. */
export async function membershipsOf(em: Em, workspaceId: string, contactId: string) {
  const found = await rows<MembershipRow>(
    em,
    sql`select m.audience_id, a.name as audience_name, m.is_active, m.consent, m.consent_event_id, m.consent_changed_at,
               m.under_review_since, m.created_at
          from memberships m join audiences a on a.workspace_id = ${workspaceId} and a.id = m.audience_id
         where m.workspace_id = ${workspaceId} and m.contact_id = ${contactId} order by m.audience_id`,
  )
  return found.map((membership) => ({
    audienceId: membership.audience_id,
    audienceName: membership.audience_name,
    isActive: membership.is_active,
    consent: membership.consent ?? undefined,
    consentEventId: membership.consent_event_id ?? undefined,
    consentChangedAt: moment(membership.consent_changed_at),
    underReviewSince: moment(membership.under_review_since),
    createdAt: moment(membership.created_at),
  }))
}

/** The one decision, for each audience that is not archived and each of a membership; those of memberships first. */
export async function eligibilityOf(em: Em, workspaceId: string, contactId: string) {
  const audiences = await rows<{ id: string; name: string }>(
    em,
    sql`select a.id, a.name from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and (a.archived_at is null or m.contact_id is not null)
         order by m.contact_id is null, a.id`,
  )
  const questions = audiences.map((audience) => ({ contactId, audienceId: audience.id }))
  const verdicts = await judgeRecipients(em, workspaceId, questions)
  return audiences.map(({ id, name }, index) => {
    const { reasons } = verdicts[index]!
    return { audienceId: id, audienceName: name, eligible: reasons.length === 0, reasons }
  })
}
