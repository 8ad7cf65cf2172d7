import type {
  ListContactEnrollmentsRequest,
  ListContactEnrollmentsResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { listedEnrollment, readContactPage } from './enrollment-list.ts'

/**
 * Lists the enrollments of one contact, real and synthetic, newest first, one page at a time. Empty for an unknown contact, because
 * contacts-consent owns contacts.
 */
export async function listContactEnrollments(
  ctx: Ctx,
  req: ListContactEnrollmentsRequest,
): Promise<Reply<typeof ListContactEnrollmentsResponseSchema>> {
  const { workspaceId } = ctx
  const { contactId } = req
  const limit = parseLimit(req.limit)
  const after = parseCursor('contact_enrollments', req.cursor)
  if (!isUuid(contactId)) return { enrollments: [] }
  const found = await ctx.tx((em) => readContactPage(em, { workspaceId, contactId, after, most: limit + 1 }))
  const { page, nextCursor } = pageOf('contact_enrollments', found, limit)
  return {
    enrollments: page.map((row) => ({
      ...listedEnrollment(row),
      automationName: row.automation_name,
      atNodeSince: moment(row.arrived_at),
      waitsUntil: moment(row.wait_until),
      waitingReason: row.waiting_reason ?? undefined,
      endedAt: moment(row.ended_at),
      endReason: row.end_reason ?? undefined,
      endedBy: row.ended_by ?? undefined,
    })),
    nextCursor,
  }
}
