import type {
  PrepareRecipientsRequest,
  PrepareRecipientsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readLastRecipientVerdicts } from '../eligibility/eligibility.ts'
import { bodyId } from '../values/ids.ts'
import { mergeFields } from './merge-fields.ts'
import { deliverableAddress } from '../values/normalized-email.ts'
import { linkBases, signPreferenceToken } from '../preferences/preference-token.ts'

const recipientsMax = 1_000

/**
 * The last check before a hand-off, for up to 1,000 contacts in one statement: verdicts, and for eligible contacts the data for
 * the email and the minimum interval of the audience. Answers in input order.
 */
export async function prepareRecipients(
  ctx: Ctx,
  req: PrepareRecipientsRequest,
): Promise<Reply<typeof PrepareRecipientsResponseSchema>> {
  const { workspaceId, config } = ctx
  if (req.recipients.length > recipientsMax) {
    throw new Fault('invalid_argument', 'recipients', `recipients: ask for at most ${recipientsMax} at a time.`)
  }
  const requested = req.recipients.map(({ contactId, audienceId }) => ({
    contactId: bodyId('contact_id', contactId),
    audienceId: bodyId('audience_id', audienceId),
  }))
  const verdicts =
    requested.length === 0 ? [] : await ctx.tx((em) => readLastRecipientVerdicts(em, workspaceId, requested))
  ctx.metrics.decided(verdicts.map((verdict) => verdict.reasons))

  const issuedAt = ctx.now()
  const tokens = new Set(req.tokens)
  const keys = config.preferenceSigningKeys
  const recipients = verdicts.map((verdict) => {
    const { contact_id: contactId, audience_id: audienceId, reasons } = verdict
    if (reasons.length > 0) return { contactId, reasons }
    const { email, normalized_email, custom_fields, minimum_interval_seconds } = verdict
    if (email === null || normalized_email === null || custom_fields === null || minimum_interval_seconds === null)
      throw new Error('a person who may be mailed has no contact or no audience')
    return {
      contactId,
      email: deliverableAddress(email, normalized_email),
      mergeFields: mergeFields({ ...verdict, email, custom_fields }, tokens),
      preferenceToken: signPreferenceToken(keys, { workspaceId, contactId, audienceId, issuedAt }),
      minimumIntervalSeconds: minimum_interval_seconds,
    }
  })
  return { recipients, linkBases: linkBases(config.baseUrl) }
}
