import { column, held, newId, prepared, sql, statement, type Em } from '@lettergate/database'
import { ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { publishAll } from '@lettergate/events'
import { requestConfirmations } from '../confirmations/request-confirmations.ts'
import { recordConsentEvents } from '../consent-record/consent-event.entity.ts'
import type { Receipt } from './source-receipt.entity.ts'
import { outcomeOf, type ClaimOutcome } from './source-outcome.ts'
import type { AdmittedEvent } from './settle-event.ts'

const selectClaimStates = statement('select-claim-states', {
  n: column.integer(),
  contact_id: column.uuid(),
  is_member: column.boolean(),
  is_unverified_legacy: column.boolean(),
  is_platform_suppressed: column.boolean(),
  is_workspace_suppressed: column.boolean(),
  is_audience_suppressed: column.boolean(),
  is_overtaken: column.boolean(),
})
const insertClaims = statement('insert-source-claims')

/** The state of each contact and the audience of its claim, read after the contacts are locked. */
const claimStates = (em: Em, workspaceId: string, events: readonly AdmittedEvent[]) =>
  selectClaimStates.rows(
    em,
    prepared(sql`select q.n, c.id as contact_id, coalesce(m.is_active, false) as is_member,
               coalesce(c.legacy_consent_classification <> 'documented', false) as is_unverified_legacy,
               exists (select 1 from platform_suppressions s
                        where s.normalized_email = q.email and s.resolved_at is null) as is_platform_suppressed,
               exists (select 1 from suppressions s
                        where s.workspace_id = ${workspaceId} and s.contact_id = c.id and s.scope = 'workspace'
                          and s.resolved_at is null) as is_workspace_suppressed,
               exists (select 1 from suppressions s
                        where s.workspace_id = ${workspaceId} and s.contact_id = c.id and s.scope = 'audience'
                          and s.audience_id = q.audience_id and s.resolved_at is null) as is_audience_suppressed,
               exists (select 1 from consent_events e
                        where e.workspace_id = ${workspaceId} and e.contact_id = c.id and e.kind = 'withdrawn'
                          and (e.scope = 'workspace' or e.audience_id = q.audience_id)
                          and e.occurred_at > q.captured_at) as is_overtaken
          from jsonb_to_recordset(${JSON.stringify(
            events.map(({ n, event }) => ({
              n,
              email: event.normalizedEmail,
              audience_id: event.audienceId,
              captured_at: event.claim.captured_at,
            })),
          )}::jsonb) as q (n int, email text, audience_id uuid, captured_at timestamptz)
         cross join lateral (select * from contacts k where k.workspace_id = ${workspaceId}
                                and k.normalized_email = q.email limit 1) c
          left join lateral (select * from memberships k where k.workspace_id = ${workspaceId}
                                and k.audience_id = q.audience_id and k.contact_id = c.id limit 1) m on true`),
  )

/** A claim that is about to be stored. */
interface Recorded extends AdmittedEvent, ClaimOutcome {
  contactId: string
  receiptId: string
  consentEventId: string
  isMember: boolean
}

const provenanceOf = (slug: string) => `subscription-source:${slug}`

const record = (em: Em, claims: readonly Recorded[]) =>
  recordConsentEvents(
    em,
    { actor: 'subscription-source', actorKind: 'source' },
    claims.map(({ source, event, correlationId, contactId, consentEventId, receiptId, reasonClass }) => ({
      id: consentEventId,
      contactId,
      kind: 'granted',
      scope: 'audience',
      audienceId: event.audienceId,
      ...(reasonClass === null ? {} : { reason: reasonClass }),
      source: provenanceOf(source.slug),
      wordingVersion: event.claim.wording_id,
      evidence: { ...event.claim, source_event_id: event.sourceEventId, receipt_id: receiptId },
      formIdentifier: event.claim.form_id,
      occurredAt: new Date(event.claim.captured_at),
      actor: source.id,
      correlationId,
    })),
  )

/**
 * Writes memberships, provenance and receipts in one statement. An accepted claim creates a member and ends a review. A claim that
 * needs a review only marks the membership as under review. A suppressed claim, and one that waits for its confirmation, change
 * no membership.
 */
const write = (em: Em, workspaceId: string, claims: readonly Recorded[], created: ReadonlySet<string>) =>
  insertClaims.execute(
    em,
    held(sql`with w as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(
            claims.map(({ source, event, correlationId, ...claim }) => ({
              ...event.claim,
              receipt_id: claim.receiptId,
              provenance_id: newId(),
              source_id: source.id,
              provenance: provenanceOf(source.slug),
              idempotency_key: event.idempotencyKey,
              source_event_id: event.sourceEventId,
              payload_sha256: event.payloadSha256,
              contact_id: claim.contactId,
              is_new: created.has(event.normalizedEmail),
              audience_id: event.audienceId,
              consent_event_id: claim.consentEventId,
              status: claim.status,
              reason_class: claim.reasonClass,
              is_member: claim.isMember,
              correlation_id: correlationId,
            })),
          )}::jsonb) as w (receipt_id uuid, provenance_id uuid, source_id uuid, provenance text, idempotency_key text,
            source_event_id uuid, payload_sha256 text, contact_id uuid, is_new boolean, audience_id uuid,
            consent_event_id uuid, status text, reason_class text, is_member boolean, correlation_id text, wording_id text,
            wording_sha256 text, privacy_policy_url text, privacy_policy_version text, form_id text, form_version text,
            page_origin text, page_path text, evidence_schema_version text, popup_campaign_id uuid, popup_version bigint,
            attribution jsonb, captured_at timestamptz)),
        joined as (
          insert into memberships as m (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id,
                 consent_changed_at, under_review_since)
          select ${workspaceId}::uuid, audience_id, contact_id, status = 'accepted',
                 case when reason_class is distinct from 'review_consent_conflict' then 'granted' else 'withdrawn' end,
                 consent_event_id, now(), case when status = 'review_required' then now() end
            from w where status <> 'suppressed' and reason_class is distinct from 'confirmation_pending' order by contact_id
          on conflict (workspace_id, audience_id, contact_id) do update set
            is_active = excluded.is_active or m.is_active,
            consent = case when excluded.is_active then excluded.consent else coalesce(m.consent, excluded.consent) end,
            consent_event_id = case when excluded.is_active or m.consent is null then excluded.consent_event_id
                                    else m.consent_event_id end,
            consent_changed_at = case when excluded.is_active or m.consent is null then excluded.consent_changed_at
                                      else m.consent_changed_at end,
            under_review_since = case when excluded.is_active then null
                                      else coalesce(m.under_review_since, excluded.under_review_since) end,
            updated_at = now()),
        provenance as (
          insert into contact_provenance (workspace_id, contact_id, id, source, source_metadata, actor, actor_kind,
                 correlation_id, is_creation)
          select ${workspaceId}::uuid, contact_id, provenance_id, provenance,
                 jsonb_build_object('source_event_id', source_event_id, 'receipt_id', receipt_id), source_id::text, 'source',
                 correlation_id, is_new
            from w)
        insert into source_receipts (workspace_id, source_id, id, idempotency_key, source_event_id, payload_sha256,
               contact_id, audience_id, consent_event_id, status, reason_class, is_membership_active, wording_id,
               wording_sha256, privacy_policy_url, privacy_policy_version, form_id, form_version, page_origin, page_path,
               evidence_schema_version, popup_campaign_id, popup_version, attribution, captured_at, correlation_id)
        select ${workspaceId}::uuid, source_id, receipt_id, idempotency_key, source_event_id, payload_sha256, contact_id,
               audience_id, consent_event_id, status, reason_class, is_member, wording_id, wording_sha256,
               privacy_policy_url, privacy_policy_version, form_id, form_version, page_origin, page_path,
               evidence_schema_version, popup_campaign_id, popup_version, attribution, captured_at, correlation_id
          from w`),
  )

const receiptOf = ({ source, event, ...claim }: Recorded): Receipt => ({
  id: claim.receiptId,
  source_id: source.id,
  idempotency_key: event.idempotencyKey,
  source_event_id: event.sourceEventId,
  payload_sha256: event.payloadSha256,
  consent_event_id: claim.consentEventId,
  status: claim.status,
  reason_class: claim.reasonClass,
  is_membership_active: claim.isMember,
})

const confirmationOf = ({ source, event, ...claim }: Recorded) => {
  if (claim.reasonClass !== 'confirmation_pending' || source.confirmation === null) return []
  const { contactId, consentEventId } = claim
  return [
    {
      ...source.confirmation,
      id: newId(),
      sourceId: source.id,
      audienceId: event.audienceId,
      contactId,
      consentEventId,
    },
  ]
}

/** Records claims of consent, one for each contact. This transaction must hold the locks of the contacts. */
export async function recordClaims(
  em: Em,
  workspaceId: string,
  events: readonly AdmittedEvent[],
  created: ReadonlySet<string>,
): Promise<{ n: number; receipt: Receipt }[]> {
  if (events.length === 0) return []
  const stateOf = new Map((await claimStates(em, workspaceId, events)).map((state) => [state.n, state]))
  const claims = events.map((one): Recorded => {
    const state = stateOf.get(one.n)!
    const outcome = outcomeOf({ ...state, needs_confirmation: one.source.confirmation !== null && !state.is_member })
    return {
      ...one,
      ...outcome,
      contactId: state.contact_id,
      receiptId: newId(),
      consentEventId: newId(),
      isMember: outcome.status === 'accepted' || state.is_member,
    }
  })
  await record(em, claims)
  await write(em, workspaceId, claims, created)
  await publishAll(
    em,
    ConsentGrantedSchema,
    claims.flatMap(({ status, contactId, consentEventId, event: { audienceId } }) =>
      status === 'accepted' ? [{ contactId, audienceId, consentEventId }] : [],
    ),
  )
  await requestConfirmations(em, workspaceId, claims.flatMap(confirmationOf))
  return claims.map((claim) => ({ n: claim.n, receipt: receiptOf(claim) }))
}
