import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AuditRecordedSchema, SuppressionResolvedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { endAlert, publish } from '@lettergate/events'
import { recordConsentEvents, type Actor } from '../consent-record/consent-event.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { resolveOnce, type Suppression } from './suppression.entity.ts'

/**
 * Resolves a suppression in its own workspace: recorded, published and audited. A repeat changes nothing. For an erased contact,
 * the resolution reason is not stored.
 */
export async function resolveOnRecord(
  em: Em,
  { workspaceId, by, now }: { workspaceId: string; by: Actor; now: Date },
  { id: suppressionId, contactId, scope, audienceId = null, reason }: Suppression,
  givenReason: string,
): Promise<void> {
  const isThere = (await lockContacts(em, workspaceId, [contactId])).has(contactId)
  const resolutionReason = isThere ? givenReason : 'erased'
  if (!(await resolveOnce(em, workspaceId, { suppressionId, resolvedBy: by.actor, resolutionReason }))) return

  await recordConsentEvents(em, by, [
    {
      id: newId(),
      contactId,
      kind: 'resolved',
      scope,
      audienceId,
      suppressionId,
      reason,
      source: 'api',
      evidence: isThere ? { resolution_reason: resolutionReason } : undefined,
    },
  ])
  await publish(em, SuppressionResolvedSchema, {
    suppressionId,
    contactId,
    scope,
    reason,
    ...(audienceId === null ? {} : { audienceId }),
    at: timestampFromDate(now),
  })
  if (scope === 'platform') await endAlert(em, 'platform_suppression_added', suppressionId)
  await publish(em, AuditRecordedSchema, {
    action: 'suppression_resolved',
    subjectType: 'suppression',
    subjectId: suppressionId,
    actor: by.actor,
    detail: { contact_id: contactId, scope, reason },
  })
}
