import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Operations } from '@lettergate/rpc'
import { applyAutomationSteps } from './automations/apply-automation-steps.ts'
import { describeAutomationContacts } from './automations/describe-automation-contacts.ts'
import { describeAutomationReferences } from './automations/describe-automation-references.ts'
import type { Ctx } from './ctx.ts'
import { archiveAudience } from './audiences/archive-audience.ts'
import { createAudience } from './audiences/create-audience.ts'
import { deleteAudience } from './audiences/delete-audience.ts'
import { describeAudiences } from './audiences/describe-audiences.ts'
import { getAudience } from './audiences/get-audience.ts'
import { listAudienceMemberDays } from './audiences/list-audience-member-days.ts'
import { listAudiencesWithCounts } from './audiences/list-audiences-with-counts.ts'
import { listAudiences } from './audiences/list-audiences.ts'
import { getConsentProof } from './consent-record/get-consent-proof.ts'
import { listConsentEvents } from './consent-record/list-consent-events.ts'
import { listConsentProofKeys } from './consent-record/list-consent-proof-keys.ts'
import { confirmSignup } from './confirmation-links/confirm-signup.ts'
import { describeConfirmation } from './confirmation-links/describe-confirmation.ts'
import { prepareConfirmation } from './confirmation-links/prepare-confirmation.ts'
import { subscribeContact } from './consent/subscribe-contact.ts'
import { unsubscribeContact } from './consent/unsubscribe-contact.ts'
import { applyTag } from './contacts/apply-tag.ts'
import { deleteContact } from './contacts/delete-contact.ts'
import { eraseContact } from './contacts/erase-contact.ts'
import { getContact } from './contacts/get-contact.ts'
import { listContacts } from './contacts/list-contacts.ts'
import { lookupContact } from './contacts/lookup-contact.ts'
import { removeTag } from './contacts/remove-tag.ts'
import { upsertContact } from './contacts/upsert-contact.ts'
import { defineContactField } from './custom-fields/define-contact-field.ts'
import { listContactFields } from './custom-fields/list-contact-fields.ts'
import { getEligibility } from './eligibility/get-eligibility.ts'
import { streamAudienceVerdicts } from './eligibility/stream-audience-verdicts.ts'
import { getErasure } from './erasure/get-erasure.ts'
import { matchErasedAddresses } from './erasure/match-erased-addresses.ts'
import { applyImportRows } from './imports/apply-import-rows.ts'
import { applyImportSuppressions } from './imports/apply-import-suppressions.ts'
import { countImportRows } from './imports/count-import-rows.ts'
import { stopImport } from './imports/stop-import.ts'
import { describeImportTarget } from './imports/describe-import-target.ts'
import { evaluateImportRows } from './imports/evaluate-import-rows.ts'
import { createPreferenceToken } from './preferences/create-preference-token.ts'
import { describePreferenceLink } from './preferences/describe-preference-link.ts'
import { leaveSubscriptions } from './preferences/leave-subscriptions.ts'
import { usePreferenceLink } from './preferences/use-preference-link.ts'
import { prepareRecipients } from './recipients/prepare-recipients.ts'
import { countRehearsedRows } from './rehearsals/count-rehearsed-rows.ts'
import { rehearseRecipients } from './rehearsals/rehearse-recipients.ts'
import { prepareTestRecipient } from './recipients/prepare-test-recipient.ts'
import { admitSource } from './sources/admit-source.ts'
import { createSubscriptionSourceWithCredential } from './sources/create-subscription-source-with-credential.ts'
import { createSubscriptionSource } from './sources/create-subscription-source.ts'
import { getSourceConfirmation } from './sources/get-source-confirmation.ts'
import { getSourceCredential } from './sources/get-source-credential.ts'
import { ingestSubscriptionEvent } from './sources/ingest-subscription-event.ts'
import { listSourceReceipts } from './sources/list-source-receipts.ts'
import { listSubscriptionSourceAudiences } from './sources/list-subscription-source-audiences.ts'
import { listSubscriptionSources } from './sources/list-subscription-sources.ts'
import { removeSourceConfirmation } from './sources/remove-source-confirmation.ts'
import { replaceSubscriptionSourceOrigins } from './sources/replace-subscription-source-origins.ts'
import { requireSenderUnused } from './sources/require-sender-unused.ts'
import { revokeSourceCredential } from './sources/revoke-source-credential.ts'
import { rotateSourceCredential } from './sources/rotate-source-credential.ts'
import { setSourceConfirmation } from './sources/set-source-confirmation.ts'
import { setSourceStatus } from './sources/set-source-status.ts'
import { listPlatformSuppressions } from './suppressions/list-platform-suppressions.ts'
import { listSuppressions } from './suppressions/list-suppressions.ts'
import { resolvePlatformSuppression } from './suppressions/resolve-platform-suppression.ts'
import { resolveSuppression } from './suppressions/resolve-suppression.ts'
import { suppressContact } from './suppressions/suppress-contact.ts'
import { listTags } from './tags/list-tags.ts'
import { mergeTag } from './tags/merge-tag.ts'
import { registerTag } from './tags/register-tag.ts'
import { renameTag } from './tags/rename-tag.ts'

/** The operations of this service, by feature. The gateway has a route to each, unless the comment names another caller. */
export const operations = {
  // contacts
  upsertContact,
  lookupContact,
  getContact,
  listContacts,
  applyTag,
  removeTag,
  deleteContact,
  eraseContact,

  // custom fields
  defineContactField,
  listContactFields,

  // tags
  listTags,
  registerTag,
  renameTag,
  mergeTag,

  // audiences
  createAudience,
  listAudiences,
  listAudiencesWithCounts,
  listAudienceMemberDays,
  getAudience,
  archiveAudience,
  deleteAudience,
  // audiences, called by campaigns-delivery
  describeAudiences,

  // consent
  subscribeContact,
  unsubscribeContact,

  // consent record
  listConsentEvents,
  getConsentProof,
  listConsentProofKeys,

  // suppressions
  suppressContact,
  resolveSuppression,
  listSuppressions,
  listPlatformSuppressions,
  resolvePlatformSuppression,

  // eligibility
  getEligibility,
  // eligibility, called by campaigns-delivery
  streamAudienceVerdicts,

  // recipients, called by campaigns-delivery
  prepareRecipients,
  prepareTestRecipient,

  // rehearsals, called by campaigns-delivery
  rehearseRecipients,
  countRehearsedRows,

  // preferences
  createPreferenceToken,
  // preferences, called by the gateway itself
  describePreferenceLink,
  leaveSubscriptions,
  usePreferenceLink,

  // sources
  createSubscriptionSource,
  createSubscriptionSourceWithCredential,
  listSubscriptionSources,
  replaceSubscriptionSourceOrigins,
  rotateSourceCredential,
  revokeSourceCredential,
  getSourceCredential,
  setSourceStatus,
  getSourceConfirmation,
  setSourceConfirmation,
  removeSourceConfirmation,
  listSourceReceipts,
  listSubscriptionSourceAudiences,
  ingestSubscriptionEvent,
  // sources, asked before a deletion
  requireSenderUnused,
  // sources, called by the gateway itself
  admitSource,

  // confirmation links, called by the gateway itself
  describeConfirmation,
  confirmSignup,
  // confirmation links, called by campaigns-delivery
  prepareConfirmation,

  // imports, called by imports
  describeImportTarget,
  evaluateImportRows,
  applyImportSuppressions,
  applyImportRows,
  countImportRows,
  stopImport,

  // automations, called by automations
  describeAutomationReferences,
  describeAutomationContacts,
  applyAutomationSteps,

  // erasure
  getErasure,
  // erasure, called by campaigns-delivery
  matchErasedAddresses,
} satisfies Operations<typeof ContactsConsent, Ctx>
