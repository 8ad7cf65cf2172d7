import { columns, sql, statement, type Em } from '@lettergate/database'
import type { LegacyConsentGrade } from './legacy-consent.ts'
import type { ContactWrite } from './upsert-contacts.ts'
import { Contact } from './contact.entity.ts'

const sayLegacy = ({ named }: ContactWrite) => named.includes('is_legacy') || named.includes('legacy_consent_evidence')

const holdContacts = statement(
  'hold-contacts-by-address',
  columns(Contact, 'normalized_email', 'legacy_consent_classification'),
)

/**
 * How the contacts of these writes were classified until now, by address; empty when no write speaks of it. Takes the rows
 * in the order of the writes, so that what is answered is what the writes of this transaction replace.
 */
export async function earlierClassifications(
  em: Em,
  workspaceId: string,
  writes: readonly ContactWrite[],
): Promise<ReadonlyMap<string, LegacyConsentGrade | null>> {
  if (!writes.some(sayLegacy)) return new Map()
  const found = await holdContacts.rows(
    em,
    sql`select normalized_email, legacy_consent_classification from contacts
         where workspace_id = ${workspaceId} and normalized_email = any(${writes.map((write) => write.normalized_email)}::text[])
         order by normalized_email for update`,
  )
  return new Map(found.map((one) => [one.normalized_email, one.legacy_consent_classification]))
}
