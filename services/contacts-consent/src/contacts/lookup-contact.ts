import type { LookupContactRequest, LookupContactResponseSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { contactColumns, contactList, contactMessage } from './contact.entity.ts'
import { notFound } from '../values/ids.ts'
import { parseEmail } from '../values/normalized-email.ts'

const selectContact = statement('select-contact-by-address', contactColumns)

/** The contact with this address, in any spelling. */
export async function lookupContact(
  ctx: Ctx,
  req: LookupContactRequest,
): Promise<Reply<typeof LookupContactResponseSchema>> {
  const { normalizedEmail } = parseEmail(req.email)
  const contact = await ctx.tx((em) =>
    selectContact.row(
      em,
      sql`select ${contactList(ctx.workspaceId)} from contacts c
           where c.workspace_id = ${ctx.workspaceId} and c.normalized_email = ${normalizedEmail}`,
    ),
  )
  if (!contact) throw notFound('contact')
  return { contact: contactMessage(contact) }
}
