import type { AutomationContact } from '@lettergate/contracts/contacts/v1/automation_steps'
import type { CallScope } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { inSets } from './in-sets.ts'

/**
 * The contacts as they are now, by id, with these fields, or with all of them. Contacts that do not exist or were erased are absent.
 */
export async function describeContacts(
  ctx: Pick<Ctx, 'contacts'> & CallScope,
  contactIds: readonly string[],
  fields: readonly string[] = [],
): Promise<Map<string, AutomationContact>> {
  const found = new Map<string, AutomationContact>()
  for (const ids of inSets([...new Set(contactIds)])) {
    const { contacts } = await ctx.contacts.describeAutomationContacts(ctx, { contactIds: ids, fields: [...fields] })
    for (const contact of contacts) found.set(contact.contactId, contact)
  }
  return found
}
