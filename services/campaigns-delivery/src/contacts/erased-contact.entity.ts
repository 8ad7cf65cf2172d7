import { defineEntity, p } from '@mikro-orm/core'
import { execute, row, rows, sql, type Em } from '@lettergate/database'

/** Ids of erased contacts. Rows are kept permanently, so that no late write restores an address. */
export const ErasedContacts = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    erasedAt: p.datetime(),
  },
})

/**
 * Blocks new erasures until the transaction ends. A transaction that copies addresses takes this lock, copies, and then
 * calls `eraseLateRecipients`. A later erasure finds the copies and removes their addresses.
 */
export const lockErasures = (em: Em, workspaceId: string): Promise<unknown> =>
  row(em, sql`select pg_advisory_xact_lock_shared(hashtextextended('erased_contacts ' || ${workspaceId}::text, 0))`)

/** Stores that a contact is erased. Waits for transactions that are copying addresses. */
export async function recordErasure(em: Em, workspaceId: string, contactId: string): Promise<void> {
  await row(em, sql`select pg_advisory_xact_lock(hashtextextended('erased_contacts ' || ${workspaceId}::text, 0))`)
  await execute(
    em,
    sql`insert into erased_contacts (workspace_id, contact_id) values (${workspaceId}, ${contactId}) on conflict do nothing`,
  )
}

export const isErased = async (em: Em, workspaceId: string, contactId: string): Promise<boolean> =>
  (await row(
    em,
    sql`select 1 from erased_contacts where workspace_id = ${workspaceId} and contact_id = ${contactId}`,
  )) !== undefined

/** The value that replaces an erased address. It is unique for each message and the same each time. */
export const noAddress = sql`'erased:' || id`
/** True if the column holds an address, not the value of `noAddress`. */
export const hasAddress = (column: string) => sql`not starts_with(${sql.ref(column)}, 'erased:')`

/** Removes the addresses from all messages of these contacts, or from those of one run. Returns how many had an address. */
export const eraseRecipientAddresses = (
  em: Em,
  workspaceId: string,
  { contactIds, runId }: { contactIds: readonly string[]; runId?: string },
): Promise<number> =>
  execute(
    em,
    sql`update run_recipients set normalized_email = ${noAddress}
         where workspace_id = ${workspaceId} and contact_id = any(${[...contactIds]}::uuid[])
           and ${runId === undefined ? sql`true` : sql`run_id = ${runId}`} and ${hasAddress('normalized_email')}`,
  )

/** Removes the addresses of contacts who were erased while a run was being built. */
export async function eraseLateRecipients(em: Em, workspaceId: string, runId: string): Promise<void> {
  const erased = await rows<{ contact_id: string }>(
    em,
    sql`select contact_id from erased_contacts
         where workspace_id = ${workspaceId}
           and erased_at > (select created_at - interval '1 minute' from campaign_runs where workspace_id = ${workspaceId} and id = ${runId})`,
  )
  const contactIds = erased.map((one) => one.contact_id)
  if (contactIds.length > 0) await eraseRecipientAddresses(em, workspaceId, { contactIds, runId })
}

/** Returns the ids of all messages of a contact that were, or may have been, handed over. */
export const messageIdsOf = async (em: Em, workspaceId: string, contactId: string): Promise<string[]> => {
  const found = await rows<{ id: string }>(
    em,
    sql`select r.id from run_recipients r where r.workspace_id = ${workspaceId} and r.contact_id = ${contactId}
           and exists (select from hand_offs h where h.workspace_id = r.workspace_id and h.origin_id = r.run_id and h.batch = r.batch and r.id = any(h.message_ids))
         order by r.id`,
  )
  return found.map(({ id }) => id)
}
