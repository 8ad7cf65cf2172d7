import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { recordConsentEvents, type Actor } from '../consent-record/consent-event.entity.ts'
import { leaveSuppressions, type StandingSuppression, type SuppressionAsked } from './suppression.entity.ts'

export interface SuppressionWish extends Omit<SuppressionAsked, 'id'> {
  occurredAt?: Date
}

/**
 * Suppresses contacts, set-based: each ask is appended to the consent record, and one unresolved suppression stands
 * afterwards for each. New ones are announced. The contacts must be locked by this transaction. Answers in no order.
 */
export async function suppressContacts(
  em: Em,
  context: { workspaceId: string; by: Actor; now: Date },
  wishes: readonly SuppressionWish[],
): Promise<StandingSuppression[]> {
  const asked = wishes.map((wish) => ({ ...wish, id: newId() }))
  const standing = await leaveSuppressions(em, context.workspaceId, context.by.actor, asked)
  const idOf = new Map(standing.map((one) => [kindOf(one.contact_id, one), one.id]))
  await recordConsentEvents(
    em,
    context.by,
    asked.map((wish) => ({
      ...wish,
      id: newId(),
      kind: 'suppressed',
      suppressionId: idOf.get(kindOf(wish.contactId, { ...wish, audience_id: wish.audienceId }))!,
    })),
  )
  await announceSuppressions(em, standing, context.now)
  return standing
}

const kindOf = (contactId: string, one: { scope: string; audience_id: string | null; reason: string }) =>
  [contactId, one.scope, one.audience_id ?? '', one.reason].join(' ')

/** Announces those that are new. */
export const announceSuppressions = (em: Em, standing: readonly StandingSuppression[], now: Date): Promise<void> =>
  publishAll(
    em,
    SuppressionAddedSchema,
    standing
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
