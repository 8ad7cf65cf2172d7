import type {
  UnsubscribeContactRequest,
  UnsubscribeContactResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import { withdrawConsent } from './withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { holdAudience } from '../audiences/audience.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { requiredText } from '@lettergate/values/text'
import { bodyId, notFound, pathId, unknownReference } from '../values/ids.ts'

/** Withdraws one contact from one audience, now and for every message not yet handed off. Safe to repeat. */
export async function unsubscribeContact(
  ctx: Ctx,
  req: UnsubscribeContactRequest,
): Promise<Reply<typeof UnsubscribeContactResponseSchema>> {
  const { workspaceId } = ctx
  const source = req.source === undefined ? 'api' : requiredText('source', req.source)
  const audienceId = pathId('audience', req.audienceId)
  const contactId = bodyId('contact_id', req.contactId)

  const unresolved = await ctx.tx(async (em) => {
    if (!(await holdAudience(em, workspaceId, audienceId))) throw notFound('audience')
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw unknownReference('contact_id')
    const suppressed = await withdrawConsent(em, { workspaceId, by: ctx.caller, now: ctx.now() }, [
      { contactId, audienceId, source },
    ])
    await publish(em, AuditRecordedSchema, {
      action: 'contact_unsubscribed',
      subjectType: 'contact',
      subjectId: contactId,
      actor: ctx.caller.actor,
      detail: { audience_id: audienceId },
    })
    return suppressed
  })
  ctx.metrics.unsubscribed('api')
  ctx.metrics.suppressed(unresolved.filter((one) => one.is_new))
  return { unsubscribed: true, scope: 'audience' }
}
