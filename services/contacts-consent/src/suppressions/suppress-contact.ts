import type { SuppressContactRequest, SuppressContactResponseSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import { suppressContacts } from './suppress-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { holdAudience } from '../audiences/audience.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { optionalObject } from '../values/free-object.ts'
import { requiredText } from '@lettergate/values/text'
import { bodyId, notFound, pathId, unknownReference } from '../values/ids.ts'
import { parseReason, parseScope, requireAudienceForScope } from './suppression.ts'

/**
 * Blocks all email to one contact in a scope until the suppression is resolved. Memberships do not change. The platform scope
 * applies to the address in every organization, is audited and raises an alert. A repeat answers the unresolved suppression.
 */
export async function suppressContact(
  ctx: Ctx,
  req: SuppressContactRequest,
): Promise<Reply<typeof SuppressContactResponseSchema>> {
  const { workspaceId } = ctx
  const scope = parseScope(req.scope)
  const reason = parseReason(req.reason)
  const givenAudience = requireAudienceForScope(scope, req.audienceId)
  const source = req.source === undefined ? 'api' : requiredText('source', req.source)
  const evidence = optionalObject('evidence', req.evidence)
  const contactId = pathId('contact', req.contactId)

  const unresolved = await ctx.tx(async (em) => {
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw notFound('contact')
    const audienceId = givenAudience === null ? null : bodyId('audience_id', givenAudience)
    if (audienceId !== null && !(await holdAudience(em, workspaceId, audienceId))) throw unknownReference('audience_id')

    const [suppression] = await suppressContacts(em, { workspaceId, by: ctx.caller, now: ctx.now() }, [
      { contactId, scope, audienceId, reason, source, evidence },
    ])
    await publish(em, AuditRecordedSchema, {
      action: 'contact_suppressed',
      subjectType: 'suppression',
      subjectId: suppression!.id,
      actor: ctx.caller.actor,
      detail: { contact_id: contactId, scope, reason },
    })
    if (scope === 'platform' && suppression!.is_new) {
      await publish(em, AlertRaisedSchema, {
        code: 'platform_suppression_added',
        severity: 'warning',
        summary: 'An address was suppressed for every organization of the platform.',
        about: suppression!.id,
        detail: { suppression_id: suppression!.id, contact_id: contactId, reason },
      })
    }
    return suppression!
  })
  if (unresolved.is_new) ctx.metrics.suppressed([unresolved])
  return { suppressed: true, suppressionId: unresolved.id }
}
