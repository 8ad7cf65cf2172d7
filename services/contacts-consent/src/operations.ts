import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { admitSource } from './admit-source.ts'
import { archiveAudience } from './archive-audience.ts'
import { createAudience } from './create-audience.ts'
import { createPreferenceToken } from './create-preference-token.ts'
import { createSubscriptionSourceWithCredential } from './create-subscription-source-with-credential.ts'
import { createSubscriptionSource } from './create-subscription-source.ts'
import { defineContactField } from './define-contact-field.ts'
import { deleteAudience } from './delete-audience.ts'
import { deleteContact } from './delete-contact.ts'
import { describeAudiences } from './describe-audiences.ts'
import { describePreferenceLink } from './describe-preference-link.ts'
import { eraseContact } from './erase-contact.ts'
import { getAudience } from './get-audience.ts'
import { getConsentProof } from './get-consent-proof.ts'
import { getEligibility } from './get-eligibility.ts'
import { getErasure } from './get-erasure.ts'
import { ingestSubscriptionEvent } from './ingest-subscription-event.ts'
import { listSourceReceipts } from './list-source-receipts.ts'
import { listSubscriptionSourceAudiences } from './list-subscription-source-audiences.ts'
import { listSubscriptionSources } from './list-subscription-sources.ts'
import { listAudiences } from './list-audiences.ts'
import { listConsentProofKeys } from './list-consent-proof-keys.ts'
import { listContactFields } from './list-contact-fields.ts'
import { lookupContact } from './lookup-contact.ts'
import { matchErasedAddresses } from './match-erased-addresses.ts'
import { prepareRecipients } from './prepare-recipients.ts'
import { prepareTestRecipient } from './prepare-test-recipient.ts'
import { replaceSubscriptionSourceOrigins } from './replace-subscription-source-origins.ts'
import { revokeSourceCredential } from './revoke-source-credential.ts'
import { rotateSourceCredential } from './rotate-source-credential.ts'
import { setSourceStatus } from './set-source-status.ts'
import { listPlatformSuppressions } from './list-platform-suppressions.ts'
import { resolvePlatformSuppression } from './resolve-platform-suppression.ts'
import { resolveSuppression } from './resolve-suppression.ts'
import { streamAudienceVerdicts } from './stream-audience-verdicts.ts'
import { subscribeContact } from './subscribe-contact.ts'
import { suppressContact } from './suppress-contact.ts'
import { unsubscribeContact } from './unsubscribe-contact.ts'
import { upsertContact } from './upsert-contact.ts'
import { usePreferenceLink } from './use-preference-link.ts'
import { applyTag } from './apply-tag.ts'
import { getContact } from './get-contact.ts'
import { listAudiencesWithCounts } from './list-audiences-with-counts.ts'
import { listConsentEvents } from './list-consent-events.ts'
import { listContacts } from './list-contacts.ts'
import { listSuppressions } from './list-suppressions.ts'
import { listTags } from './list-tags.ts'
import { mergeTag } from './merge-tag.ts'
import { registerTag } from './register-tag.ts'
import { removeTag } from './remove-tag.ts'
import { renameTag } from './rename-tag.ts'

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
  prepareTestRecipient,
  describeAudiences,
  createSubscriptionSource,
  createSubscriptionSourceWithCredential,
  listSubscriptionSources,
  replaceSubscriptionSourceOrigins,
  rotateSourceCredential,
  revokeSourceCredential,
  setSourceStatus,
  listSourceReceipts,
  admitSource,
  listSubscriptionSourceAudiences,
  ingestSubscriptionEvent,
  deleteContact,
  eraseContact,
  getErasure,
  matchErasedAddresses,
  defineContactField,
  listContactFields,
  listAudiences,
  getAudience,
  archiveAudience,
  deleteAudience,
  resolveSuppression,
  listPlatformSuppressions,
  resolvePlatformSuppression,
  getConsentProof,
  listConsentProofKeys,
  applyTag,
  getContact,
  listAudiencesWithCounts,
  listConsentEvents,
  listContacts,
  listSuppressions,
  listTags,
  mergeTag,
  registerTag,
  removeTag,
  renameTag,
} satisfies Operations<typeof ContactsConsent, Ctx>
