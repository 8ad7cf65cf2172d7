import { defineEntity, p } from '@mikro-orm/core'
import { columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { RunRecipient } from '../runs/run-recipient.entity.ts'

/** Ids of erased contacts. Rows are kept permanently, so that no late write restores an address. */
export const ErasedContact = defineEntity({
  name: 'ErasedContact',
  tableName: 'erased_contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    contactId: p.uuid().primary(),
    erasedAt: p.datetime().defaultRaw('now()'),
  },
})

const lockShared = statement('lock-erasures-of-workspace-shared')

/** Blocks new erasures until the transaction ends. Part of a statement, or one of its own by `lockErasures`. */
export const noErasures = (workspaceId: string) =>
  sql`pg_advisory_xact_lock_shared(hashtextextended('erased_contacts ' || ${workspaceId}::text, 0))`

/**
 * Blocks new erasures until the transaction ends. A transaction that copies addresses takes this lock, copies, and then
 * calls `eraseLateRecipients`. A later erasure finds the copies and removes their addresses.
 */
export const lockErasures = (em: Em, workspaceId: string): Promise<unknown> =>
  lockShared.execute(em, sql`select ${noErasures(workspaceId)}`)

const lock = statement('lock-erasures-of-workspace')

/** Stores that a contact is erased. Waits for transactions that are copying addresses. */
export async function recordErasure(em: Em, workspaceId: string, contactId: string): Promise<void> {
  await lock.execute(
    em,
    sql`select pg_advisory_xact_lock(hashtextextended('erased_contacts ' || ${workspaceId}::text, 0))`,
  )
  await kyselyOf(em, ErasedContact)
    .insertInto('erased_contacts')
    .values({ workspace_id: workspaceId, contact_id: contactId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const isErased = async (em: Em, workspaceId: string, contactId: string): Promise<boolean> =>
  (await em.count(ErasedContact, { workspaceId, contactId })) > 0

const selectErased = statement('select-erased-contacts', columns(ErasedContact, 'contact_id'))

/** Returns which of these contacts are erased. */
export const erasedAmong = async (
  em: Em,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const found = await selectErased.rows(
    em,
    sql`select contact_id from erased_contacts where workspace_id = ${workspaceId} and contact_id = any(${[...contactIds]}::uuid[])`,
  )
  return new Set(found.map(({ contact_id }) => contact_id))
}

/** The value that replaces an erased address. It is unique for each message and the same each time. */
export const noAddress = sql`'erased:' || id`
/** True if the column holds an address, not the value of `noAddress`. */
export const hasAddress = (column: string) => sql`not starts_with(${sql.ref(column)}, 'erased:')`

const eraseAddresses = statement('erase-recipient-addresses')

/** Removes the addresses from all messages of these contacts, or from those of one run. Returns how many had an address. */
export const eraseRecipientAddresses = (
  em: Em,
  workspaceId: string,
  { contactIds, runId }: { contactIds: readonly string[]; runId?: string },
): Promise<number> =>
  eraseAddresses.execute(
    em,
    sql`update run_recipients set normalized_email = ${noAddress}
         where workspace_id = ${workspaceId} and contact_id = any(${[...contactIds]}::uuid[])
           and ${runId === undefined ? sql`true` : sql`run_id = ${runId}`} and ${hasAddress('normalized_email')}`,
  )

const selectErasedLate = statement('select-contacts-erased-late', columns(ErasedContact, 'contact_id'))

/** Removes the addresses of contacts who were erased while a run was being built. */
export async function eraseLateRecipients(em: Em, workspaceId: string, runId: string): Promise<void> {
  const erased = await selectErasedLate.rows(
    em,
    sql`select contact_id from erased_contacts
         where workspace_id = ${workspaceId}
           and erased_at > (select created_at - interval '1 minute' from campaign_runs where workspace_id = ${workspaceId} and id = ${runId})`,
  )
  const contactIds = erased.map((one) => one.contact_id)
  if (contactIds.length > 0) await eraseRecipientAddresses(em, workspaceId, { contactIds, runId })
}

const selectHandedOver = statement('select-messages-handed-over', columns(RunRecipient, 'id'))

/** Returns the ids of all messages of a contact that were, or may have been, handed over. */
export const messageIdsOf = async (em: Em, workspaceId: string, contactId: string): Promise<string[]> => {
  const found = await selectHandedOver.rows(
    em,
    sql`select r.id from run_recipients r where r.workspace_id = ${workspaceId} and r.contact_id = ${contactId}
           and exists (select from hand_offs h where h.workspace_id = r.workspace_id and h.origin_id = r.run_id and h.batch = r.batch and r.id = any(h.message_ids))
        union all
        select e.id from automation_emails e where e.workspace_id = ${workspaceId} and e.contact_id = ${contactId}
           and exists (select from hand_offs h where h.workspace_id = e.workspace_id and h.origin_id = e.automation_id and h.batch = e.batch and e.id = any(h.message_ids))
        union all
        select m.id from confirmation_emails m where m.workspace_id = ${workspaceId} and m.contact_id = ${contactId}
           and exists (select from hand_offs h where h.workspace_id = m.workspace_id and h.origin_id = m.id and h.batch = 0 and m.id = any(h.message_ids))
         order by id`,
  )
  return found.map(({ id }) => id)
}
