import type {
  ListEnrollmentsRequest,
  ListEnrollmentsResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import type { Reply } from '@lettergate/rpc'
import { requireAutomation } from '../automations/automation.entity.ts'
import type { Ctx } from '../ctx.ts'
import { listedEnrollment, newestEnrollments } from './enrollment-list.ts'

const most = 1_000

/** Lists the newest enrollments of one automation, real and synthetic, newest first. Fault `not_found` for an unknown automation. */
export async function listEnrollments(
  ctx: Ctx,
  req: ListEnrollmentsRequest,
): Promise<Reply<typeof ListEnrollmentsResponseSchema>> {
  const { workspaceId } = ctx
  const enrollments = await ctx.tx(async (em) => {
    const { id: automationId } = await requireAutomation(em, workspaceId, { id: req.automationId })
    return newestEnrollments(em, { workspaceId, automationId, most })
  })
  return {
    enrollments: enrollments.map(listedEnrollment),
    syntheticOnly: true,
    productionEnrollmentAvailable: false,
  }
}
