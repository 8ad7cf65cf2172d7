import type { ConfirmSignupRequest, SignupConfirmationSchema } from '@lettergate/contracts/contacts/v1/confirmations'
import { AuditRecordedSchema, ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import type { JsonObject } from '@bufbuild/protobuf'
import { column, newId, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import { holdAudience } from '../audiences/audience.entity.ts'
import { recordConsentEvents } from '../consent-record/consent-event.entity.ts'
import { evidenceOf } from '../consent-record/consent-evidence.entity.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { readConfirmationFacts } from './confirmation-facts.ts'
import { readConfirmationToken, type ConfirmationClaim } from './confirmation-token.ts'
import { shownConfirmation } from './describe-confirmation.ts'
import {
  endConfirmation,
  findConfirmation,
  type FoundConfirmation,
} from '../confirmations/signup-confirmation.entity.ts'

const recipient = { actor: 'recipient', actorKind: 'recipient' } as const

/**
 * Records consent for the sign-up of a signed link, with the sign-up and the confirmation as evidence, and makes the contact a
 * member. A repeat changes nothing. After a withdrawal, the expiry, or a suppression nothing is recorded. It fires no trigger,
 * as the sign-up did not.
 */
export async function confirmSignup(
  ctx: Ctx,
  req: ConfirmSignupRequest,
): Promise<Reply<typeof SignupConfirmationSchema>> {
  const claim = readConfirmationToken(ctx.config.preferenceSigningKeys, req.token)
  const { outcome, shown } = await ctx.inWorkspace(claim.workspaceId).tx(async (em) => ({
    outcome: await confirm(em, claim),
    shown: await shownConfirmation(em, claim),
  }))
  ctx.metrics.confirmation(outcome)
  return shown
}

async function confirm(em: Em, { workspaceId, confirmationId }: ConfirmationClaim): Promise<string> {
  const known = await findConfirmation(em, workspaceId, confirmationId)
  if (!known) return 'gone'
  await holdAudience(em, workspaceId, known.audience_id)
  await lockContacts(em, workspaceId, [known.contact_id])
  // Read again, because another request may have ended it before this one had the lock.
  const confirmation = await findConfirmation(em, workspaceId, confirmationId)
  if (confirmation?.state !== 'pending') return confirmation?.state ?? 'gone'
  const { obstacles } = await readConfirmationFacts(em, workspaceId, confirmation)
  if (obstacles.length > 0) return 'refused'
  await accept(em, workspaceId, confirmation)
  return 'confirmed'
}

const selectSignup = statement('select-sign-up-to-confirm', {
  source: column.text(),
  wording_version: column.text(),
  form_identifier: column.text(),
  occurred_at: column.timestamptz(),
  evidence: column.json<JsonObject>(),
})
const insertMember = statement('insert-confirmed-membership')

async function accept(em: Em, workspaceId: string, confirmation: FoundConfirmation): Promise<void> {
  const { id, contact_id: contactId, audience_id: audienceId, consent_event_id: signUpId } = confirmation
  const signUp = await selectSignup.row(
    em,
    sql`select e.source, e.wording_version, e.form_identifier, e.occurred_at, k.evidence
          from consent_events e cross join lateral (${evidenceOf(workspaceId, sql`e.id`)}) k
         where e.workspace_id = ${workspaceId} and e.id = ${signUpId}`,
  )
  if (!signUp) throw new Error('a pending confirmation refers to no sign-up with evidence')
  const eventId = newId()
  await recordConsentEvents(em, recipient, [
    {
      id: eventId,
      contactId,
      kind: 'granted',
      scope: 'audience',
      audienceId,
      source: signUp.source,
      wordingVersion: signUp.wording_version,
      formIdentifier: signUp.form_identifier,
      evidence: {
        ...signUp.evidence,
        sign_up: { consent_event_id: signUpId, occurred_at: new Date(signUp.occurred_at).toISOString() },
        confirmation: {
          confirmation_id: id,
          via: 'confirmation_link',
          requested_at: new Date(confirmation.requested_at).toISOString(),
        },
      },
    },
  ])
  await insertMember.execute(
    em,
    sql`insert into memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_event_id, consent_changed_at)
        values (${workspaceId}, ${audienceId}, ${contactId}, true, 'granted', ${eventId}, now())
        on conflict (workspace_id, audience_id, contact_id) do update
          set is_active = true, consent = 'granted', consent_event_id = excluded.consent_event_id,
              consent_changed_at = now(), under_review_since = null, updated_at = now()`,
  )
  await endConfirmation(em, workspaceId, { id, eventId })
  await publish(em, ConsentGrantedSchema, { contactId, audienceId, consentEventId: eventId })
  await publish(em, AuditRecordedSchema, {
    action: 'sign_up_confirmed',
    subjectType: 'contact',
    subjectId: contactId,
    actor: recipient.actor,
    detail: { audience_id: audienceId, consent_event_id: eventId, confirmation_id: id },
  })
}
