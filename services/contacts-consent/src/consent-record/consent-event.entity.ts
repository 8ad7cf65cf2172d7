import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { execute, meaningOf, sql, type Em } from '@lettergate/database'
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
    kind: p.text(),
    scope: p.text(),
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

/** Who did it, for the record. */
export type Actor = Pick<Caller, 'actor' | 'actorKind'>

export interface NewConsentEvent {
  id: string
  contactId: string
  kind: 'granted' | 'withdrawn' | 'suppressed' | 'resolved'
  scope: 'audience' | 'workspace' | 'platform'
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
  /** who and by which request, where one statement records what several callers brought */
  actor?: string
  correlationId?: string
}

/**
 * Appends to the consent record of this workspace, all in one statement. Evidence is kept apart, by its salted hash; a
 * trigger leaves each event to be sealed.
 */
export async function recordConsentEvents(em: Em, by: Actor, events: readonly NewConsentEvent[]): Promise<void> {
  if (events.length === 0) return
  const { workspaceId, caller } = meaningOf(em)
  await execute(
    em,
    sql`with asked as materialized (
          select * from jsonb_to_recordset(${JSON.stringify(events.map(withHash))}::jsonb) as e (id uuid, "contactId" uuid, kind text,
                 scope text, "audienceId" uuid, "suppressionId" uuid, reason text, source text, "wordingVersion" text,
                 evidence jsonb, salt text, "evidenceSha256" text, "formIdentifier" text, "sourceApplication" text,
                 "occurredAt" timestamptz, actor text, "correlationId" text)),
        kept as (
          insert into consent_evidence (workspace_id, event_id, salt, evidence)
          select ${workspaceId}::uuid, id, salt, evidence from asked where salt is not null)
        insert into consent_events (workspace_id, id, contact_id, kind, scope, audience_id, suppression_id, reason, source,
               wording_version, evidence_sha256, form_identifier, source_application, actor, actor_kind, correlation_id, occurred_at)
        select ${workspaceId}::uuid, id, "contactId", kind, scope, "audienceId", "suppressionId", reason, source,
               "wordingVersion", "evidenceSha256", "formIdentifier", "sourceApplication",
               coalesce(actor, ${by.actor}), ${by.actorKind}, coalesce("correlationId", ${caller.correlationId}),
               coalesce("occurredAt", now())
          from asked`,
  )
}

function withHash(event: NewConsentEvent) {
  if (!event.evidence) return event
  const salt = newSalt()
  return { ...event, salt, evidenceSha256: evidenceSha256(salt, event.evidence) }
}
