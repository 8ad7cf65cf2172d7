import { column, sql, statement, type Em } from '@lettergate/database'

const holdContacts = statement('hold-contacts', { id: column.uuid() })

/**
 * Locks these contacts until the transaction ends, and answers which of them exist. Every change of consent, memberships or
 * suppressions calls this first, so that changes of one contact run one after another. All writers lock contacts in this order.
 */
export async function lockContacts(em: Em, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await holdContacts.rows(
    em,
    sql`select id from contacts where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])
         order by normalized_email for no key update`,
  )
  return new Set(found.map((contact) => contact.id))
}
