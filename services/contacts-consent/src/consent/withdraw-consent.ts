import type { JsonObject } from '@bufbuild/protobuf'
import { ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, newId, sql, statement, type Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { recordConsentEvents, type Actor } from '../consent-record/consent-event.entity.ts'
import { ensureSuppressions, type UnresolvedSuppression } from '../suppressions/suppression.entity.ts'
import type { SuppressionReason } from '../suppressions/suppression.ts'
import { announceSuppressions } from '../suppressions/suppress-contacts.ts'
import { withdrawConfirmations } from '../confirmations/signup-confirmation.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'

/** One withdrawal of consent. */
export interface Withdrawal {
  contactId: string
  /** null withdraws from the whole workspace */
  audienceId: string | null
  source: string
  evidence?: JsonObject
  /** the time of the withdrawal, if not now */
  occurredAt?: Date
  /** of the withdrawal and its suppression, if not `unsubscribe` */
  reason?: SuppressionReason
  /** the id of its consent event, if the caller stores it too */
  eventId?: string
}

const selectWithdrawal = statement('select-unresolved-withdrawal', { unresolved: column.integer() })
const endedColumns = columns(Membership, 'contact_id', 'audience_id')
const endSome = statement('end-memberships', endedColumns)
const endAll = statement('end-all-memberships', endedColumns)

const scopeOf = ({ audienceId }: Pick<Withdrawal, 'audienceId'>) => (audienceId === null ? 'workspace' : 'audience')
const keyOf = (contactId: string, audienceId: string | null) => `${contactId} ${audienceId ?? ''}`

/**
 * Whether this withdrawal is in effect already: it is in the consent record (not only a manual suppression), its suppression is
 * unresolved, and it would end no membership. This transaction must hold the lock of the contact.
 */
export async function isWithdrawn(
  em: Em,
  workspaceId: string,
  { contactId, audienceId }: Pick<Withdrawal, 'contactId' | 'audienceId'>,
): Promise<boolean> {
  const isEnded =
    audienceId === null
      ? sql`not exists (select 1 from memberships where workspace_id = ${workspaceId} and contact_id = ${contactId}
                           and (is_active or consent = 'granted'))
             and exists (select 1 from consent_events where workspace_id = ${workspaceId} and contact_id = ${contactId}
                            and kind = 'withdrawn' and scope = 'workspace')`
      : sql`exists (select 1 from memberships where workspace_id = ${workspaceId} and contact_id = ${contactId}
                       and audience_id = ${audienceId} and not is_active and consent = 'withdrawn')`
  const found = await selectWithdrawal.row(
    em,
    sql`select 1 as unresolved from suppressions
         where workspace_id = ${workspaceId} and contact_id = ${contactId} and scope = ${scopeOf({ audienceId })}
           and audience_id is not distinct from ${audienceId}::uuid and reason = 'unsubscribe' and resolved_at is null
           and ${isEnded}`,
  )
  return found !== undefined
}

/** Ends the memberships of these pairs. A contact without a membership gets a withdrawn one. Answers the changed pairs. */
const endMemberships = (
  em: Em,
  workspaceId: string,
  events: readonly { id: string; contactId: string; audienceId: string }[],
) =>
  endSome.rows(
    em,
    sql`with requested as (
          select distinct on (contact_id, audience_id) *
            from unnest(${events.map((one) => one.id)}::uuid[], ${events.map((one) => one.contactId)}::uuid[],
                        ${events.map((one) => one.audienceId)}::uuid[]) as q (event_id, contact_id, audience_id)
           order by contact_id, audience_id, event_id desc),
        unchanged as (
          select contact_id, audience_id from memberships join requested using (contact_id, audience_id)
           where workspace_id = ${workspaceId} and not is_active and consent = 'withdrawn'),
        ended as (
          insert into memberships as m (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id, consent_changed_at)
          select ${workspaceId}::uuid, audience_id, contact_id, false, 'withdrawn', event_id, now() from requested
          on conflict (workspace_id, audience_id, contact_id) do update
            set is_active = false, consent = 'withdrawn', consent_event_id = excluded.consent_event_id,
                consent_changed_at = now(), updated_at = now()
          returning contact_id, audience_id)
        select contact_id, audience_id from ended except select contact_id, audience_id from unchanged`,
  )

/** Ends every membership of these contacts. Consent that was never granted stays missing. */
const endAllMemberships = (em: Em, workspaceId: string, events: readonly { id: string; contactId: string }[]) =>
  endAll.rows(
    em,
    sql`update memberships m
           set is_active = false, consent = 'withdrawn', consent_event_id = requested.event_id, consent_changed_at = now(), updated_at = now()
          from unnest(${events.map((one) => one.id)}::uuid[], ${events.map((one) => one.contactId)}::uuid[]) as requested (event_id, contact_id)
         where m.workspace_id = ${workspaceId} and m.contact_id = requested.contact_id
           and (m.is_active or m.consent = 'granted')
        returning m.contact_id, m.audience_id`,
  )

/**
 * Applies withdrawals, set-based: each is appended to the consent record, its membership ends (all memberships for the workspace
 * scope), a sign-up that waits for its confirmation ends, and one unresolved suppression with its reason exists. Changes are
 * published; a repeat changes nothing more.
 * This transaction must hold the locks of the contacts, and the audiences must exist.
 */
export async function withdrawConsent(
  em: Em,
  context: { workspaceId: string; by: Actor; now: Date },
  withdrawals: readonly Withdrawal[],
): Promise<UnresolvedSuppression[]> {
  const { workspaceId, by, now } = context
  const events = withdrawals.map((withdrawal) => ({
    reason: 'unsubscribe' as const,
    ...withdrawal,
    id: withdrawal.eventId ?? newId(),
  }))
  const unresolved = await ensureSuppressions(
    em,
    workspaceId,
    by.actor,
    events.map((event) => ({ ...event, id: newId(), scope: scopeOf(event) })),
  )
  const idOf = new Map(unresolved.map((one) => [keyOf(one.contact_id, one.audience_id), one.id]))
  await recordConsentEvents(
    em,
    by,
    events.map((event) => ({
      ...event,
      kind: 'withdrawn',
      scope: scopeOf(event),
      suppressionId: idOf.get(keyOf(event.contactId, event.audienceId))!,
    })),
  )

  await withdrawConfirmations(em, workspaceId, events)
  const ofAudiences = events.flatMap(({ id, contactId, audienceId }) =>
    audienceId === null ? [] : [{ id, contactId, audienceId }],
  )
  const ofWorkspace = events.filter((event) => event.audienceId === null)
  const changed = new Set(unresolved.filter((one) => one.is_new).map((one) => keyOf(one.contact_id, one.audience_id)))
  if (ofAudiences.length > 0) {
    for (const ended of await endMemberships(em, workspaceId, ofAudiences))
      changed.add(keyOf(ended.contact_id, ended.audience_id))
  }
  if (ofWorkspace.length > 0) {
    for (const ended of await endAllMemberships(em, workspaceId, ofWorkspace))
      changed.add(keyOf(ended.contact_id, null))
  }
  const announced = [...changed].map((key) => {
    const [contactId = '', audienceId = ''] = key.split(' ')
    return audienceId === '' ? { contactId, scope: 'workspace' } : { contactId, audienceId, scope: 'audience' }
  })
  await publishAll(em, ConsentWithdrawnSchema, announced)
  await announceSuppressions(em, unresolved, now)
  return unresolved
}
