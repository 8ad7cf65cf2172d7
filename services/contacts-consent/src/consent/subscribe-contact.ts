import type {
  SubscribeContactRequest,
  SubscribeContactResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import {
  AudienceSubscribedSchema,
  AuditRecordedSchema,
  ConsentGrantedSchema,
} from '@lettergate/contracts/events/v1/events'
import { newId, sql, statement } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { holdAudience } from '../audiences/audience.entity.ts'
import { recordConsentEvents } from '../consent-record/consent-event.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { findBlocker } from '../suppressions/suppression.entity.ts'
import { optionalObject } from '../values/free-object.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { bodyId, notFound, pathId, unknownReference } from '../values/ids.ts'
import { blockedBy } from '../suppressions/suppression.ts'

const insertMembership = statement('subscribe-contact')

/**
 * Records consent and makes the contact a member. Every call appends to the consent record and fires the trigger. It also ends a
 * review, because an operator has decided. It does not override an unresolved suppression: Fault `failed_precondition` with
 * scope, reason and the suppression to resolve.
 */
export async function subscribeContact(
  ctx: Ctx,
  req: SubscribeContactRequest,
): Promise<Reply<typeof SubscribeContactResponseSchema>> {
  const { workspaceId } = ctx
  const source = requiredText('source', req.source)
  const wordingVersion = requiredText('wording_version', req.wordingVersion)
  const formIdentifier = optionalText('form_identifier', req.formIdentifier)
  const sourceApplication = optionalText('source_application', req.sourceApplication)
  const evidence = optionalObject('evidence', req.evidence)
  const audienceId = pathId('audience', req.audienceId)
  const contactId = bodyId('contact_id', req.contactId)
  const consentEventId = newId()

  await ctx.tx(async (em) => {
    const audience = await holdAudience(em, workspaceId, audienceId)
    if (!audience) throw notFound('audience')
    if (!(await lockContacts(em, workspaceId, [contactId])).has(contactId)) throw unknownReference('contact_id')
    if (audience.archived_at !== null) {
      throw new Fault(
        'failed_precondition',
        'audience_archived',
        'This audience is archived and takes no new subscribers.',
      )
    }
    const blocker = await findBlocker(em, workspaceId, contactId, audienceId)
    if (blocker) throw blockedBy(blocker)

    await recordConsentEvents(em, ctx.caller, [
      {
        id: consentEventId,
        contactId,
        kind: 'granted',
        scope: 'audience',
        audienceId,
        source,
        wordingVersion,
        evidence,
        formIdentifier,
        sourceApplication,
      },
    ])
    await insertMembership.execute(
      em,
      sql`insert into memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id, consent_changed_at)
          values (${workspaceId}, ${audienceId}, ${contactId}, true, 'granted', ${consentEventId}, now())
          on conflict (workspace_id, audience_id, contact_id) do update
            set is_active = true, consent = 'granted', consent_event_id = excluded.consent_event_id,
                consent_changed_at = now(), under_review_since = null, updated_at = now()`,
    )
    await publish(em, AudienceSubscribedSchema, { contactId, audienceId, consentEventId })
    await publish(em, ConsentGrantedSchema, { contactId, audienceId, consentEventId })
    await publish(em, AuditRecordedSchema, {
      action: 'contact_subscribed',
      subjectType: 'contact',
      subjectId: contactId,
      actor: ctx.caller.actor,
      detail: { audience_id: audienceId, consent_event_id: consentEventId },
    })
  })
  return { subscribed: true, consentEventId }
}
