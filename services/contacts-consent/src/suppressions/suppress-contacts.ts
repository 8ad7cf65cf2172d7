import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { recordConsentEvents, type Actor } from '../consent-record/consent-event.entity.ts'
import { ensureSuppressions, type UnresolvedSuppression, type SuppressionRequest } from './suppression.entity.ts'

export interface SuppressionInput extends Omit<SuppressionRequest, 'id'> {
  occurredAt?: Date
  /** the id of its consent event, if the caller stores it too */
  eventId?: string
}

/**
 * Suppresses contacts, set-based: each input is appended to the consent record, and one unresolved suppression exists afterwards
 * for each. New ones are published. This transaction must hold the locks of the contacts. The answer has no order.
 */
export async function suppressContacts(
  em: Em,
  context: { workspaceId: string; by: Actor; now: Date },
  inputs: readonly SuppressionInput[],
): Promise<UnresolvedSuppression[]> {
  const requested = inputs.map((input) => ({ ...input, id: newId() }))
  const unresolved = await ensureSuppressions(em, context.workspaceId, context.by.actor, requested)
  const idOf = new Map(unresolved.map((one) => [kindOf(one.contact_id, one), one.id]))
  await recordConsentEvents(
    em,
    context.by,
    requested.map((input) => ({
      ...input,
      id: input.eventId ?? newId(),
      kind: 'suppressed',
      suppressionId: idOf.get(kindOf(input.contactId, { ...input, audience_id: input.audienceId }))!,
    })),
  )
  await announceSuppressions(em, unresolved, context.now)
  return unresolved
}

const kindOf = (contactId: string, one: { scope: string; audience_id: string | null; reason: string }) =>
  [contactId, one.scope, one.audience_id ?? '', one.reason].join(' ')

/** Publishes the new suppressions. */
export const announceSuppressions = (em: Em, unresolved: readonly UnresolvedSuppression[], now: Date): Promise<void> =>
  publishAll(
    em,
    SuppressionAddedSchema,
    unresolved
      .filter((one) => one.is_new)
      .map((one) => ({
        suppressionId: one.id,
        contactId: one.contact_id,
        scope: one.scope,
        reason: one.reason,
        ...(one.audience_id === null ? {} : { audienceId: one.audience_id }),
        at: timestampFromDate(now),
      })),
  )
