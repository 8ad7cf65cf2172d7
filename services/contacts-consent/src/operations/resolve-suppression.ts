import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ResolveSuppressionRequest,
  ResolveSuppressionResponseSchema,
} from '@lettergate/contracts/contacts/v1/suppressions'
import { AuditRecordedSchema, SuppressionResolvedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { recordConsentEvents } from '../db/consent-events.ts'
import { lockContacts } from '../db/contacts.ts'
import { findSuppression, resolveOnce } from '../db/suppressions.ts'
import { requiredText } from '../domain/free-text.ts'
import { notFound, pathId } from '../domain/ids.ts'
import { administersPlatform } from '../domain/suppression.ts'

/**
 * Ends one suppression, on the record. It subscribes nobody: mail goes on only where consent stands, or is given anew.
 * The platform scope takes an owner or administrator of the platform, in the workspace that made it. Safe to repeat.
 */
export async function resolveSuppression(
  ctx: Ctx,
  req: ResolveSuppressionRequest,
): Promise<Reply<typeof ResolveSuppressionResponseSchema>> {
  const { workspaceId, caller } = ctx
  const resolutionReason = requiredText('resolution_reason', req.resolutionReason)
  const suppressionId = pathId('suppression', req.suppressionId)

  await ctx.tx(async (em) => {
    const suppression = await findSuppression(em, workspaceId, suppressionId)
    if (!suppression) throw notFound('suppression')
    const { contactId, scope, audienceId, reason } = suppression
    if (scope === 'platform' && !administersPlatform(caller.platformRole)) {
      throw new Fault(
        'permission_denied',
        'platform_role',
        'This suppression holds for the whole platform. Only an owner or administrator of the platform may resolve it.',
      )
    }
    await lockContacts(em, workspaceId, [contactId])
    if (!(await resolveOnce(em, workspaceId, { suppressionId, resolvedBy: caller.actor, resolutionReason }))) return

    await recordConsentEvents(em, caller, [
      {
        id: newId(),
        contactId,
        kind: 'resolved',
        scope,
        audienceId,
        suppressionId,
        reason,
        source: 'api',
        evidence: { resolution_reason: resolutionReason },
      },
    ])
    await publish(em, SuppressionResolvedSchema, {
      suppressionId,
      contactId,
      scope,
      reason,
      ...(audienceId === null ? {} : { audienceId }),
      at: timestampFromDate(ctx.now()),
    })
    await publish(em, AuditRecordedSchema, {
      action: 'suppression_resolved',
      subjectType: 'suppression',
      subjectId: suppressionId,
      actor: caller.actor,
      detail: { contact_id: contactId, scope, reason },
    })
  })
  return { resolved: true }
}
