import { rows, sql, type Em } from '@lettergate/database'

/**
 * Holds these contacts until the transaction ends and answers which of them exist. Whoever changes consent, memberships
 * or suppressions of a contact takes this first, so that two changes of one contact follow each other.
 */
export async function lockContacts(em: Em, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    em,
    sql`select id from contacts where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])
         order by id for no key update`,
  )
  return new Set(found.map((contact) => contact.id))
}
