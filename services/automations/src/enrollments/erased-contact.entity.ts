import { defineEntity, p } from '@mikro-orm/core'
import { Fault } from '@lettergate/fault'
import { arrayOf, columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'

/** Ids of erased and deleted contacts. Rows are kept permanently, so that no late trigger enrols one. */
export const ErasedContact = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    erasedAt: p.datetime().defaultRaw('now()'),
  },
})

const lockErasures = statement('lock-erasures-shared')
const selectErased = statement('select-erased-enrollees', columns(ErasedContact, 'contact_id'))

/**
 * Answers which of these contacts are erased, and blocks new erasures until the transaction ends. So a later erasure finds what
 * this transaction stores.
 */
export async function erasedAmong(em: Em, workspaceId: string, contactIds: readonly string[]): Promise<Set<string>> {
  await lockErasures.execute(
    em,
    sql`select pg_advisory_xact_lock_shared(hashtextextended('automations.erased_contacts ' || ${workspaceId}::text, 0))`,
  )
  const found = await selectErased.rows(
    em,
    sql`select contact_id from erased_contacts
         where workspace_id = ${workspaceId} and contact_id = any(${arrayOf([...new Set(contactIds)])}::uuid[])`,
  )
  return new Set(found.map(({ contact_id: id }) => id))
}

/** Blocks erasures as `erasedAmong` does. Throws Fault `conflict` if the contact is erased. */
export async function requireNotErased(em: Em, workspaceId: string, contactId: string): Promise<void> {
  if (!(await erasedAmong(em, workspaceId, [contactId])).has(contactId)) return
  throw new Fault(
    'conflict',
    'contact_missing',
    'The contact does not exist any more, so it enters no automation. Nothing was changed.',
  )
}

const lockEnrolling = statement('lock-enrolling')

/** Stores that a contact is erased or deleted. Waits for transactions that are enrolling contacts. */
export async function recordErasure(em: Em, workspaceId: string, contactId: string): Promise<void> {
  await lockEnrolling.execute(
    em,
    sql`select pg_advisory_xact_lock(hashtextextended('automations.erased_contacts ' || ${workspaceId}::text, 0))`,
  )
  await kyselyOf(em, ErasedContact)
    .insertInto('erased_contacts')
    .values({ workspace_id: workspaceId, contact_id: contactId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
