import { execute, sql, type Em } from '@lettergate/database'
import { eraseEvidence } from '../consent-record/consent-evidence.entity.ts'
import { eraseReceiptDetails } from '../sources/source-receipt.entity.ts'
import { eraseSuppressionDetails } from '../suppressions/suppression.entity.ts'

/**
 * Removes everything of a contact that may tell who it is, and the contact. What stays names ids: the consent record, its
 * seals, suppressions and receipts. Answers how many rows of each kind were removed or lost what they told.
 */
export async function erasePersonalDetails(
  em: Em,
  workspaceId: string,
  contactId: string,
): Promise<Record<string, number>> {
  const remove = (table: 'contact_sources' | 'contact_provenance' | 'memberships') =>
    execute(em, sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId} and contact_id = ${contactId}`)
  return {
    consent_evidence: await eraseEvidence(em, contactId, 'contact_erased'),
    suppressions: await eraseSuppressionDetails(em, workspaceId, contactId),
    source_receipts: await eraseReceiptDetails(em, workspaceId, contactId),
    contact_sources: await remove('contact_sources'),
    contact_provenance: await remove('contact_provenance'),
    memberships: await remove('memberships'),
    contacts: await execute(em, sql`delete from contacts where workspace_id = ${workspaceId} and id = ${contactId}`),
  }
}
