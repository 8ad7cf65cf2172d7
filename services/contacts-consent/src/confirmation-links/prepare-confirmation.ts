import type {
  PrepareConfirmationRequest,
  PrepareConfirmationResponseSchema,
} from '@lettergate/contracts/contacts/v1/confirmations'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { linkBases, signPreferenceToken } from '../preferences/preference-token.ts'
import { mergeFields } from '../recipients/merge-fields.ts'
import { bodyId } from '../values/ids.ts'
import { deliverableAddress } from '../values/normalized-email.ts'
import { readConfirmationFacts } from './confirmation-facts.ts'
import { confirmationUrl } from './confirmation-token.ts'
import { harmlessFields } from './harmless-fields.ts'
import { findConfirmation } from '../confirmations/signup-confirmation.entity.ts'

/**
 * The last check before a confirmation email is handed over. A confirmation that has ended, also by a withdrawal, and a contact
 * that may not be subscribed get no email. Consent is not required, because the email asks for it.
 */
export async function prepareConfirmation(
  ctx: Ctx,
  req: PrepareConfirmationRequest,
): Promise<Reply<typeof PrepareConfirmationResponseSchema>> {
  const { workspaceId, config } = ctx
  const confirmationId = bodyId('confirmation_id', req.confirmationId)
  const known = await ctx.tx(async (em) => {
    const confirmation = await findConfirmation(em, workspaceId, confirmationId)
    return confirmation && { ...confirmation, ...(await readConfirmationFacts(em, workspaceId, confirmation)) }
  })
  const links = linkBases(config.baseUrl)
  if (known?.state !== 'pending') return { reasons: ['confirmation_ended'], linkBases: links }
  const { contact_id: contactId, audience_id: audienceId, email, normalized_email, custom_fields } = known
  if (known.obstacles.length > 0) return { reasons: known.obstacles, linkBases: links }
  if (email === null || normalized_email === null || custom_fields === null)
    throw new Error('a contact without a row has no obstacle')
  const deliverable = deliverableAddress(email, normalized_email)
  const keys = config.preferenceSigningKeys
  return {
    contactId,
    audienceId,
    email: deliverable,
    mergeFields: {
      ...harmlessFields(mergeFields({ ...known, email: deliverable, custom_fields })),
      email: deliverable,
      confirmation_url: confirmationUrl(config.baseUrl, keys, { workspaceId, confirmationId }),
    },
    preferenceToken: signPreferenceToken(keys, { workspaceId, contactId, audienceId, issuedAt: ctx.now() }),
    linkBases: links,
  }
}
