import type {
  ListEnrolledContactsRequest,
  ListEnrolledContactsResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import { requireAutomation } from '../automations/automation.entity.ts'
import { describeContacts } from '../contacts/describe-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { listedEnrollment, readEnrollmentPage } from './enrollment-list.ts'

/**
 * Lists the enrollments of one automation with the addresses of their contacts, newest first, one page at a time. Fault `not_found`
 * for an unknown automation.
 */
export async function listEnrolledContacts(
  ctx: Ctx,
  req: ListEnrolledContactsRequest,
): Promise<Reply<typeof ListEnrolledContactsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('enrollments', req.cursor)
  const found = await ctx.tx(async (em) => {
    const { id: automationId } = await requireAutomation(em, workspaceId, { id: req.automationId })
    return readEnrollmentPage(em, { workspaceId, automationId, after, most: limit + 1 })
  })
  const { page, nextCursor } = pageOf('enrollments', found, limit)
  const ids = page.map((row) => row.contact_id)
  const { contacts } = await describeContacts(ctx, ids, { fields: ['email'] })
  return {
    enrollments: page.map((row) => ({
      ...listedEnrollment(row),
      contactId: row.contact_id,
      email: contacts.get(row.contact_id)?.normalizedEmail,
    })),
    nextCursor,
  }
}
