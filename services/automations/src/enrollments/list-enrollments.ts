import type {
  ListEnrollmentsRequest,
  ListEnrollmentsResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import { requireAutomation } from '../automations/automation.entity.ts'
import type { Ctx } from '../ctx.ts'
import { listedEnrollment, readEnrollmentPage } from './enrollment-list.ts'

const pageMax = 1_000

/**
 * Lists the enrollments of one automation, real and synthetic, newest first, one page at a time. Fault `not_found` for an unknown
 * automation.
 */
export async function listEnrollments(
  ctx: Ctx,
  req: ListEnrollmentsRequest,
): Promise<Reply<typeof ListEnrollmentsResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit ?? pageMax, pageMax)
  const after = parseCursor('enrollments', req.cursor)
  const found = await ctx.tx(async (em) => {
    const { id: automationId } = await requireAutomation(em, workspaceId, { id: req.automationId })
    return readEnrollmentPage(em, { workspaceId, automationId, after, most: limit + 1 })
  })
  const { page, nextCursor } = pageOf('enrollments', found, limit)
  return {
    enrollments: page.map(listedEnrollment),
    nextCursor,
    syntheticOnly: true,
    productionEnrollmentAvailable: false,
  }
}
