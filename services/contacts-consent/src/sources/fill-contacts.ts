import { column, newId, prepared, sql, statement, type Em } from '@lettergate/database'
import { keepErasedSuppressed } from '../erasure/keep-erased-suppressed.ts'
import type { KeyRing } from '../values/key-ring.ts'
import type { AdmittedEvent } from './settle-event.ts'

const fill = statement('fill-contacts', { id: column.uuid() })

/**
 * Creates missing contacts, and fills empty fields of existing ones without overwriting. Locks all of them until the transaction
 * ends. A new contact with an erased address is suppressed at once. Answers the addresses of the new contacts.
 */
export async function fillContacts(
  em: Em,
  { workspaceId, erasureHashKeys }: { workspaceId: string; erasureHashKeys: KeyRing },
  events: readonly AdmittedEvent[],
): Promise<ReadonlySet<string>> {
  const incoming = events.map(({ event }) => ({
    id: newId(),
    email: event.email,
    normalized_email: event.normalizedEmail,
    first_name: event.firstName,
    last_name: event.lastName,
    locale: event.locale,
  }))
  // The lock order of all writers of contacts, so that there are no deadlocks. Rows without changes are locked too.
  const written = await fill.rows(
    em,
    prepared(sql`insert into contacts as c (workspace_id, id, email, normalized_email, first_name, last_name, locale)
        select ${workspaceId}::uuid, id, email, normalized_email, first_name, last_name, locale
          from jsonb_to_recordset(${JSON.stringify(incoming)}::jsonb) as i (id uuid, email text, normalized_email text,
               first_name text, last_name text, locale text)
         order by normalized_email
        on conflict on constraint contacts_normalized_email do update set
          first_name = coalesce(nullif(c.first_name, ''), excluded.first_name),
          last_name = coalesce(nullif(c.last_name, ''), excluded.last_name),
          locale = coalesce(nullif(c.locale, ''), excluded.locale),
          updated_at = now()
        where (coalesce(c.first_name, '') = '' and excluded.first_name is not null)
           or (coalesce(c.last_name, '') = '' and excluded.last_name is not null)
           or (coalesce(c.locale, '') = '' and excluded.locale is not null)
        returning id`),
  )
  const writtenIds = new Set(written.map((contact) => contact.id))
  const created = incoming.filter((contact) => writtenIds.has(contact.id))
  await keepErasedSuppressed(
    em,
    { workspaceId, keys: erasureHashKeys },
    created.map((contact) => ({ id: contact.id, normalizedEmail: contact.normalized_email })),
  )
  return new Set(created.map((contact) => contact.normalized_email))
}
