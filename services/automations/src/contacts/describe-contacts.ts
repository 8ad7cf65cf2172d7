import type { AutomationContact } from '@lettergate/contracts/contacts/v1/automation_steps'
import type { CallScope } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { inSets } from './in-sets.ts'

export interface DescribedContacts {
  /** by id; those that do not exist or were erased are absent */
  readonly contacts: ReadonlyMap<string, AutomationContact>
  /** those of the asked tag ids that were merged, with the id of the tag that stayed */
  readonly mergedTags: ReadonlyMap<string, string>
}

/** The contacts as they are now, with these fields, or with all of them. */
export async function describeContacts(
  ctx: Pick<Ctx, 'contacts'> & CallScope,
  contactIds: readonly string[],
  { fields = [], tagIds = [] }: { fields?: readonly string[]; tagIds?: readonly string[] } = {},
): Promise<DescribedContacts> {
  const contacts = new Map<string, AutomationContact>()
  const mergedTags = new Map<string, string>()
  for (const ids of inSets([...new Set(contactIds)])) {
    const asked = { contactIds: ids, fields: [...fields], tagIds: [...tagIds] }
    const found = await ctx.contacts.describeAutomationContacts(ctx, asked)
    for (const contact of found.contacts) contacts.set(contact.contactId, contact)
    for (const { id, intoId } of found.mergedTags) mergedTags.set(id, intoId)
  }
  return { contacts, mergedTags }
}
