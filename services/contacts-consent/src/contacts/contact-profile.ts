import { column, columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { Audience } from '../audiences/audience.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'
import { ContactProvenance } from './contact-provenance.entity.ts'
import { moment } from '@lettergate/values/moment'
import { Contact, contactColumns, contactList, contactMessage } from './contact.entity.ts'
import { readRecipientVerdicts } from '../eligibility/eligibility.ts'
import { withShared } from '../shared-details/shared-details.entity.ts'

const originsMax = 50

const selectProfile = statement('select-contact-profile', {
  ...contactColumns,
  ...columns(
    Contact,
    'locale',
    'timezone',
    'phone',
    'is_legacy',
    'legacy_consent_evidence',
    'created_at',
    'updated_at',
  ),
  is_platform_suppressed: column.boolean(),
})

const originColumns = columns(
  ContactProvenance,
  'id',
  'source',
  'source_identifier',
  'source_metadata',
  'source_workspace',
  'actor',
  'actor_kind',
  'correlation_id',
  'is_creation',
  'recorded_at',
)
const selectOrigins = statement('select-origins-of-contact', originColumns)

/** The fields of a contact, and whether its address has a platform suppression. undefined if it does not exist. */
export async function wholeContact(em: Em, workspaceId: string, id: string) {
  const found = await selectProfile.row(
    em,
    sql`select ${contactList(workspaceId)}, locale, timezone, phone, is_legacy, legacy_consent_evidence, created_at, updated_at,
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

/** The provenance of a contact, newest first. */
export async function newestOrigins(em: Em, workspaceId: string, contactId: string) {
  const found = await selectOrigins.rows(
    em,
    sql`select id, source, source_identifier, ${withShared(workspaceId, sql`o`, sql`o.source_metadata`)} as source_metadata,
               source_workspace, actor, actor_kind, correlation_id, is_creation, recorded_at
          from contact_provenance o where workspace_id = ${workspaceId} and contact_id = ${contactId}
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

/** The memberships of a contact. */
export async function membershipsOf(em: Em, workspaceId: string, contactId: string) {
  const found = await kyselyOf(em, Membership, Audience)
    .selectFrom('memberships as m')
    .innerJoin('audiences as a', (join) =>
      join.onRef('a.workspace_id', '=', 'm.workspace_id').onRef('a.id', '=', 'm.audience_id'),
    )
    .selectAll('m')
    .select('a.name as audience_name')
    .where('m.workspace_id', '=', workspaceId)
    .where('m.contact_id', '=', contactId)
    .orderBy('m.audience_id')
    .execute()
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

const selectAudiences = statement('select-audiences-of-contact', columns(Audience, 'id', 'name'))

/** The eligibility for each audience that is not archived or has a membership; audiences with a membership first. */
export async function eligibilityOf(em: Em, workspaceId: string, contactId: string) {
  const audiences = await selectAudiences.rows(
    em,
    sql`select a.id, a.name from audiences a
          left join memberships m on m.workspace_id = ${workspaceId} and m.audience_id = a.id and m.contact_id = ${contactId}
         where a.workspace_id = ${workspaceId} and (a.archived_at is null or m.contact_id is not null)
         order by m.contact_id is null, a.id`,
  )
  const pairs = audiences.map((audience) => ({ contactId, audienceId: audience.id }))
  const verdicts = await readRecipientVerdicts(em, workspaceId, pairs)
  return audiences.map(({ id, name }, index) => {
    const { reasons } = verdicts[index]!
    return { audienceId: id, audienceName: name, eligible: reasons.length === 0, reasons }
  })
}
