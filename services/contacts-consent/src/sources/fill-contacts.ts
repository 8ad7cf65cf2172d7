import { column, newId, sql, statement, type Em } from '@lettergate/database'
import { keepErasedSuppressed } from '../erasure/keep-erased-suppressed.ts'
import type { KeyRing } from '../values/key-ring.ts'
import type { AdmittedEvent } from './settle-event.ts'

const fill = statement('fill-contacts', { id: column.uuid() })

/**
 * Makes the contacts that are not there and fills empty fields of those that are; overwrites none. Holds all of them
 * until the transaction ends. A new one whose address was erased is suppressed at once. Answers which addresses are new.
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
  // In the order of other writers of contacts, so that nobody waits crosswise. A row that needs nothing is locked all the same.
  const landed = await fill.rows(
    em,
    sql`insert into contacts as c (workspace_id, id, email, normalized_email, first_name, last_name, locale)
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
        returning id`,
  )
  const landedIds = new Set(landed.map((contact) => contact.id))
  const made = incoming.filter((contact) => landedIds.has(contact.id))
  await keepErasedSuppressed(
    em,
    { workspaceId, keys: erasureHashKeys },
    made.map((contact) => ({ id: contact.id, normalizedEmail: contact.normalized_email })),
  )
  return new Set(made.map((contact) => contact.normalized_email))
}
