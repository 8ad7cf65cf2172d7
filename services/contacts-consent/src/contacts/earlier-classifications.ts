import { columns, sql, statement, type Em } from '@lettergate/database'
import type { LegacyConsentGrade } from './legacy-consent.ts'
import type { ContactWrite } from './upsert-contacts.ts'
import { Contact } from './contact.entity.ts'

const changesLegacy = ({ named }: ContactWrite) =>
  named.includes('is_legacy') || named.includes('legacy_consent_evidence')

const holdContacts = statement(
  'hold-contacts-by-address',
  columns(Contact, 'normalized_email', 'legacy_consent_classification'),
)

/**
 * The current classification of the contacts of these writes, by address. Empty if no write changes it. Locks the rows in the
 * order of the writes, so that the answer is the value that this transaction replaces.
 */
export async function earlierClassifications(
  em: Em,
  workspaceId: string,
  writes: readonly ContactWrite[],
): Promise<ReadonlyMap<string, LegacyConsentGrade | null>> {
  if (!writes.some(changesLegacy)) return new Map()
  const found = await holdContacts.rows(
    em,
    sql`select normalized_email, legacy_consent_classification from contacts
         where workspace_id = ${workspaceId} and normalized_email = any(${writes.map((write) => write.normalized_email)}::text[])
         order by normalized_email for update`,
  )
  return new Map(found.map((one) => [one.normalized_email, one.legacy_consent_classification]))
}
