import { column, columns, sql, statement, type Em } from '@lettergate/database'
import { hasAddress, noAddress } from '../contacts/erased-contact.entity.ts'
import { TestSend } from './test-send.entity.ts'

const selectAddresses = statement('select-test-addresses-without-contact', columns(TestSend, 'recipient_email'))
const lockTestSends = statement('lock-test-sends-of-contact', {
  ...columns(TestSend, 'id'),
  had_address: column.boolean(),
})
const eraseAddresses = statement('erase-test-addresses')
const eraseFingerprints = statement('erase-test-send-fingerprints')

/** Returns the recipient addresses of test sends without a contact. */
export const testAddressesWithoutContact = async (em: Em, workspaceId: string): Promise<string[]> => {
  const found = await selectAddresses.rows(
    em,
    sql`select distinct recipient_email from test_sends
         where workspace_id = ${workspaceId} and contact_id is null and ${hasAddress('recipient_email')} order by 1`,
  )
  return found.map((one) => one.recipient_email)
}

/**
 * Removes the address from the test sends to a contact or to these addresses, and the request fingerprints from which it
 * could be guessed. Returns the ids of all these test sends and how many had an address.
 */
export async function eraseTestSends(
  em: Em,
  workspaceId: string,
  { contactId, addresses }: { contactId: string; addresses: readonly string[] },
): Promise<{ ids: string[]; erased: number }> {
  const found = await lockTestSends.rows(
    em,
    sql`select id, ${hasAddress('recipient_email')} as had_address from test_sends
         where workspace_id = ${workspaceId}
           and (contact_id = ${contactId} or (contact_id is null and recipient_email = any(${[...addresses]}::text[])))
         order by id for update`,
  )
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return { ids, erased: 0 }
  await eraseAddresses.execute(
    em,
    sql`update test_sends set recipient_email = ${noAddress}, contact_id = ${contactId}
         where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`,
  )
  await eraseFingerprints.execute(
    em,
    sql`update idempotency_keys set fingerprint = 'erased'
         where workspace_id = ${workspaceId} and operation in ('create_test_send', 'create_rehearsal') and resource_id = any(${ids}::uuid[])`,
  )
  return { ids, erased: found.filter(({ had_address }) => had_address).length }
}
