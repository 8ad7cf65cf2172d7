import type {
  PrepareRecipientsRequest,
  PrepareRecipientsResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { judgeRecipients } from '../eligibility/eligibility.ts'
import { bodyId } from '../values/ids.ts'
import { mergeFields } from './merge-fields.ts'
import { deliverableAddress } from '../values/normalized-email.ts'
import { linkUrls, signPreferenceToken } from '../preferences/preference-token.ts'

const recipientsMax = 1_000

/**
 * The last question before a hand-off, for up to 1,000 people in one statement: verdicts, and for the eligible what a
 * message to them needs and the minimum interval of the audience. Answers in the order of the question.
 */
export async function prepareRecipients(
  ctx: Ctx,
  req: PrepareRecipientsRequest,
): Promise<Reply<typeof PrepareRecipientsResponseSchema>> {
  const { workspaceId, config } = ctx
  if (req.recipients.length > recipientsMax) {
    throw new Fault('invalid_argument', 'recipients', `recipients: ask for at most ${recipientsMax} at a time.`)
  }
  const asked = req.recipients.map(({ contactId, audienceId }) => ({
    contactId: bodyId('contact_id', contactId),
    audienceId: bodyId('audience_id', audienceId),
  }))
  if (asked.length === 0) return { recipients: [] }
  const verdicts = await ctx.tx((em) => judgeRecipients(em, workspaceId, asked))
  ctx.counted.decided(verdicts.map((verdict) => verdict.reasons))

  const issuedAt = ctx.now()
  const tokens = new Set(req.tokens)
  const recipients = verdicts.map((verdict) => {
    const { contact_id: contactId, audience_id: audienceId, reasons } = verdict
    if (reasons.length > 0) return { contactId, reasons }
    const { email, normalized_email, custom_fields, minimum_interval_seconds } = verdict
    if (email === null || normalized_email === null || custom_fields === null || minimum_interval_seconds === null)
      throw new Error('a person who may be mailed has no contact or no audience')
    const token = signPreferenceToken(config.preferenceSigningKeys, { workspaceId, contactId, audienceId, issuedAt })
    return {
      contactId,
      email: deliverableAddress(email, normalized_email),
      mergeFields: mergeFields({ ...verdict, email, custom_fields }, tokens),
      ...linkUrls(config.baseUrl, token),
      minimumIntervalSeconds: minimum_interval_seconds,
    }
  })
  return { recipients }
}
