import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AuditRecordedSchema, SuppressionResolvedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { recordConsentEvents, type Actor } from '../consent-record/consent-event.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { resolveOnce, type Suppression } from './suppression.entity.ts'

/**
 * Resolves a suppression in its own workspace: appended to the record, announced and audited. Changes nothing a second time.
 * Of a contact who was erased the words of the resolution are not kept.
 */
export async function resolveOnRecord(
  em: Em,
  { workspaceId, by, now }: { workspaceId: string; by: Actor; now: Date },
  { id: suppressionId, contactId, scope, audienceId = null, reason }: Suppression,
  said: string,
): Promise<void> {
  const isThere = (await lockContacts(em, workspaceId, [contactId])).has(contactId)
  const resolutionReason = isThere ? said : 'erased'
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
  await publish(em, AuditRecordedSchema, {
    action: 'suppression_resolved',
    subjectType: 'suppression',
    subjectId: suppressionId,
    actor: by.actor,
    detail: { contact_id: contactId, scope, reason },
  })
}
