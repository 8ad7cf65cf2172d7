import type { ListContactsRequest, ListContactsResponseSchema } from '@lettergate/contracts/contacts/v1/contact_lists'
import { column, columns, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { contactsOnPage, suppressedHere } from './contact-page.ts'
import { tagNamesOf } from '../tags/contact-tag.entity.ts'
import { parseContactFilter } from './contact-filter.ts'
import { moment } from '@lettergate/values/moment'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { Contact } from './contact.entity.ts'

const listColumns = {
  ...columns(
    Contact,
    'id',
    'email',
    'first_name',
    'last_name',
    'company',
    'country_code',
    'legacy_consent_classification',
    'created_at',
    'updated_at',
  ),
  tags: column.texts(),
  is_suppressed: column.boolean(),
}
const selectPage = statement('select-contact-page', listColumns)

/** One page of the contacts of this workspace that match all filters, newest first. */
export async function listContacts(
  ctx: Ctx,
  req: ListContactsRequest,
): Promise<Reply<typeof ListContactsResponseSchema>> {
  const { workspaceId } = ctx
  const filter = parseContactFilter(req)
  const limit = parseLimit(req.limit)
  const after = parseCursor('contacts', req.cursor)

  const found = await ctx.tx(async (em) => {
    const ids = await contactsOnPage(em, workspaceId, { filter, after, limit: limit + 1 })
    return selectPage.rows(
      em,
      sql`select c.id, c.email, c.first_name, c.last_name, c.company, c.country_code, c.legacy_consent_classification,
                 ${tagNamesOf(workspaceId, sql`c.id`)} as tags,
                 ${suppressedHere(workspaceId)} as is_suppressed, c.created_at, c.updated_at
            from unnest(${ids}::uuid[]) as page (id) cross join lateral (
                 select * from contacts k where k.workspace_id = ${workspaceId} and k.id = page.id limit 1) c
           order by c.id desc`,
    )
  })
  const { page, nextCursor } = pageOf('contacts', found, limit)
  return {
    contacts: page.map((contact) => ({
      id: contact.id,
      email: contact.email,
      firstName: contact.first_name ?? undefined,
      lastName: contact.last_name ?? undefined,
      company: contact.company ?? undefined,
      countryCode: contact.country_code ?? undefined,
      legacyConsentClassification: contact.legacy_consent_classification ?? undefined,
      tags: contact.tags,
      isSuppressed: contact.is_suppressed,
      createdAt: moment(contact.created_at),
      updatedAt: moment(contact.updated_at),
    })),
    nextCursor,
  }
}
