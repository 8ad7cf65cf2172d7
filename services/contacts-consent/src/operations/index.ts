import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { createAudience } from './create-audience.ts'
import { createPreferenceToken } from './create-preference-token.ts'
import { describeAudiences } from './describe-audiences.ts'
import { describePreferenceLink } from './describe-preference-link.ts'
import { getEligibility } from './get-eligibility.ts'
import { lookupContact } from './lookup-contact.ts'
import { prepareRecipients } from './prepare-recipients.ts'
import { streamAudienceVerdicts } from './stream-audience-verdicts.ts'
import { subscribeContact } from './subscribe-contact.ts'
import { suppressContact } from './suppress-contact.ts'
import { unsubscribeContact } from './unsubscribe-contact.ts'
import { upsertContact } from './upsert-contact.ts'
import { usePreferenceLink } from './use-preference-link.ts'

export const operations = {
  upsertContact,
  lookupContact,
  createAudience,
  subscribeContact,
  unsubscribeContact,
  suppressContact,
  getEligibility,
  createPreferenceToken,
  describePreferenceLink,
  usePreferenceLink,
  streamAudienceVerdicts,
  prepareRecipients,
  describeAudiences,
} satisfies Operations<typeof ContactsConsent, Ctx>
