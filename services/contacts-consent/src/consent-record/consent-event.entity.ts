import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import {
  arrayOf,
  held,
  transactionScopeOf,
  sql,
  statement,
  textsOf,
  unplanned,
  uuidsOf,
  type Em,
} from '@lettergate/database'
import type { Caller } from '@lettergate/service'
import { evidenceSha256, newSalt } from './seal-hashes.ts'

/** The consent record: append-only, in the database too. */
export const ConsentEvent = defineEntity({
  name: 'ConsentEvent',
  tableName: 'consent_events',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    kind: p.text().$type<'granted' | 'withdrawn' | 'suppressed' | 'resolved'>(),
    scope: p.text().$type<'audience' | 'workspace' | 'platform'>(),
    audienceId: p.uuid().nullable(),
    suppressionId: p.uuid().nullable(),
    reason: p.text().nullable(),
    source: p.text(),
    wordingVersion: p.text().nullable(),
    evidenceSha256: p.text().nullable(),
    formIdentifier: p.text().nullable(),
    sourceApplication: p.text().nullable(),
    actor: p.text(),
    actorKind: p.text(),
    correlationId: p.text(),
    occurredAt: p.datetime(),
    recordedAt: p.datetime(),
  },
})

export type ConsentEvent = InferEntity<typeof ConsentEvent>

const appendEvents = statement('append-consent-events')

/** The actor of an event, for the record. */
export type Actor = Pick<Caller, 'actor' | 'actorKind'>

export interface NewConsentEvent {
  id: string
  contactId: string
  kind: ConsentEvent['kind']
  scope: ConsentEvent['scope']
  audienceId: string | null
  suppressionId?: string
  reason?: string
  source: string
  wordingVersion?: string
  evidence?: JsonObject | undefined
  formIdentifier?: string | null
  sourceApplication?: string | null
  /** when it happened, if that was not now */
  occurredAt?: Date | undefined
  /** the actor and the request, if one statement records events of several callers */
  actor?: string
  correlationId?: string
}

/**
 * Appends to the consent record of this workspace, all in one statement. Evidence is kept apart, by its salted hash; a
 * trigger leaves each event to be sealed.
 */
export async function recordConsentEvents(em: Em, by: Actor, events: readonly NewConsentEvent[]): Promise<void> {
  if (events.length === 0) return
  const { workspaceId, caller } = transactionScopeOf(em)
  await appendEvents.execute(
    em,
    held(sql`with requested as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(events.map(withHash))}::jsonb) as e (id uuid, "contactId" uuid, kind text,
                 scope text, "audienceId" uuid, "suppressionId" uuid, reason text, source text, "wordingVersion" text,
                 evidence jsonb, salt text, "evidenceSha256" text, "formIdentifier" text, "sourceApplication" text,
                 "occurredAt" timestamptz, actor text, "correlationId" text)),
        kept as (
          insert into consent_evidence (workspace_id, event_id, salt, evidence)
          select ${workspaceId}::uuid, id, salt, evidence from requested where salt is not null)
        insert into consent_events (workspace_id, id, contact_id, kind, scope, audience_id, suppression_id, reason, source,
               wording_version, evidence_sha256, form_identifier, source_application, actor, actor_kind, correlation_id, occurred_at)
        select ${workspaceId}::uuid, id, "contactId", kind, scope, "audienceId", "suppressionId", reason, source,
               "wordingVersion", "evidenceSha256", "formIdentifier", "sourceApplication",
               coalesce(actor, ${by.actor}), ${by.actorKind}, coalesce("correlationId", ${caller.correlationId}),
               coalesce("occurredAt", now())
          from requested`),
  )
}

function withHash(event: NewConsentEvent) {
  if (!event.evidence) return event
  const salt = newSalt()
  return { ...event, salt, evidenceSha256: evidenceSha256(salt, event.evidence) }
}

/** Many consents of one audience whose evidence differs only in a few values. */
export interface GrantedConsents {
  readonly audienceId: string
  readonly source: string
  readonly wordingVersion: string
  /** what the evidence of all of them has */
  readonly sharedEvidenceId: string
  readonly each: readonly {
    readonly id: string
    readonly contactId: string
    readonly reason: string | null
    /** what the evidence of this one has in addition, as JSON */
    readonly ownEvidence: string
    readonly salt: string
    readonly evidenceSha256: string
    /** null for now */
    readonly occurredAt: string | null
  }[]
}

const appendGrants = statement('append-consent-grants')

/** As `recordConsentEvents`, for thousands of consents: by column, and with evidence that is stored in part once for all. */
export async function recordGrants(em: Em, by: Actor, grants: GrantedConsents): Promise<void> {
  const { each } = grants
  if (each.length === 0) return
  const { workspaceId, caller } = transactionScopeOf(em)
  const texts = (values: (string | null)[]) => unplanned(textsOf(values), 'text[]')
  await appendGrants.execute(
    em,
    held(sql`with requested as materialized (
          select * from unnest(${unplanned(uuidsOf(each.map((one) => one.id)), 'uuid[]')},
                 ${unplanned(uuidsOf(each.map((one) => one.contactId)), 'uuid[]')},
                 ${texts(each.map((one) => one.reason))}, ${texts(each.map((one) => one.ownEvidence))},
                 ${unplanned(arrayOf(each.map((one) => one.salt)), 'text[]')},
                 ${unplanned(arrayOf(each.map((one) => one.evidenceSha256)), 'text[]')},
                 ${unplanned(
                   each.map((one) => one.occurredAt),
                   'timestamptz[]',
                 )})
              as e (id, contact_id, reason, own_evidence, salt, evidence_sha256, occurred_at)),
        kept as (
          insert into consent_evidence (workspace_id, event_id, salt, evidence, shared_id)
          select ${workspaceId}::uuid, id, salt, own_evidence::jsonb, ${grants.sharedEvidenceId}::uuid from requested)
        insert into consent_events (workspace_id, id, contact_id, kind, scope, audience_id, reason, source, wording_version,
               evidence_sha256, actor, actor_kind, correlation_id, occurred_at)
        select ${workspaceId}::uuid, id, contact_id, 'granted', 'audience', ${grants.audienceId}::uuid, reason, ${grants.source},
               ${grants.wordingVersion}, evidence_sha256, ${by.actor}, ${by.actorKind}, ${caller.correlationId},
               coalesce(occurred_at, now())
          from requested`),
  )
}
