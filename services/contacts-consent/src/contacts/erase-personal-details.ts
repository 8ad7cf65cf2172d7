import type { Em } from '@lettergate/database'
import { AutomationStepReceipt } from './automation-step-receipt.entity.ts'
import { Membership } from '../audiences/membership.entity.ts'
import { ContactProvenance } from './contact-provenance.entity.ts'
import { ContactSource } from './contact-source.entity.ts'
import { Contact } from './contact.entity.ts'
import { eraseEvidence } from '../consent-record/consent-evidence.entity.ts'
import { SignupConfirmation } from '../confirmations/signup-confirmation.entity.ts'
import { eraseReceiptDetails } from '../sources/source-receipt.entity.ts'
import { eraseSuppressionDetails } from '../suppressions/suppression.entity.ts'

/**
 * Deletes a contact and all its personal data. The consent record, its seals, suppressions and receipts stay, with ids only.
 * Answers the number of deleted or cleared rows of each kind.
 */
export async function erasePersonalDetails(
  em: Em,
  workspaceId: string,
  contactId: string,
): Promise<Record<string, number>> {
  const theirs = { workspaceId, contactId }
  return {
    consent_evidence: await eraseEvidence(em, contactId, 'contact_erased'),
    suppressions: await eraseSuppressionDetails(em, workspaceId, contactId),
    source_receipts: await eraseReceiptDetails(em, workspaceId, contactId),
    contact_sources: await em.nativeDelete(ContactSource, theirs),
    contact_provenance: await em.nativeDelete(ContactProvenance, theirs),
    automation_step_receipts: await em.nativeDelete(AutomationStepReceipt, theirs),
    signup_confirmations: await em.nativeDelete(SignupConfirmation, theirs),
    memberships: await em.nativeDelete(Membership, theirs),
    contacts: await em.nativeDelete(Contact, { workspaceId, id: contactId }),
  }
}
