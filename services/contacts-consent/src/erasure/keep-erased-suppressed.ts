import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { type Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { findErasedAddresses, deleteAddressHashes } from './erasure.entity.ts'
import { restoreErasedAddresses } from '../suppressions/platform-suppression.entity.ts'
import { unresolvedOfContacts } from '../suppressions/suppression.entity.ts'
import { possibleHashes } from '../values/address-hash.ts'
import type { KeyRing } from '../values/key-ring.ts'
import { suppressContacts } from '../suppressions/suppress-contacts.ts'

const by = { actor: 'system:keep-erased-suppressed', actorKind: 'system' } as const
const source = 'erasure'

/** A contact that this transaction has created. */
export interface NewContact {
  id: string
  normalizedEmail: string
}

/**
 * Finds new contacts with an erased address, and restores the unresolved suppressions of the address in the transaction that
 * creates the contact, so that it can never be mailed in between. Resolved suppressions are not restored. Then the hash is
 * deleted.
 */
export async function keepErasedSuppressed(
  em: Em,
  { workspaceId, keys }: { workspaceId: string; keys: KeyRing },
  contacts: readonly NewContact[],
): Promise<void> {
  if (contacts.length === 0) return
  await restoreErasedAddresses(
    em,
    contacts.map(({ normalizedEmail }) => ({ normalizedEmail, hashes: possibleHashes(keys, null, normalizedEmail) })),
  )
  const contactOf = new Map(
    contacts.flatMap(({ id, normalizedEmail }) =>
      possibleHashes(keys, workspaceId, normalizedEmail).map((hash) => [hash.toString('hex'), id] as const),
    ),
  )
  const erased = await findErasedAddresses(
    em,
    workspaceId,
    [...contactOf.keys()].map((hex) => Buffer.from(hex, 'hex')),
  )
  if (erased.length === 0) return
  const newIdOf = new Map(erased.map((one) => [one.contact_id, contactOf.get(one.address_hmac.toString('hex'))!]))
  const unresolved = await unresolvedOfContacts(em, workspaceId, [...newIdOf.keys()])
  await suppressContacts(
    em,
    { workspaceId, by, now: new Date() },
    unresolved.map(({ contact_id, scope, audience_id, reason }) => ({
      contactId: newIdOf.get(contact_id)!,
      scope,
      audienceId: audience_id,
      reason,
      source,
    })),
  )
  await publishAll(
    em,
    AuditRecordedSchema,
    [...new Set(newIdOf.values())].map((contactId) => ({
      action: 'erased_address_returned',
      subjectType: 'contact',
      subjectId: contactId,
      actor: by.actor,
      detail: {},
    })),
  )
  await deleteAddressHashes(
    em,
    workspaceId,
    erased.map(({ id, contact_id }) => ({ erasureId: id, newContactId: newIdOf.get(contact_id)! })),
  )
}
