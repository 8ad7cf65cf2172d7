import type {
  GetEnrollmentRequest,
  GetEnrollmentResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireEnrollmentReply } from './enrollment-reply.ts'

/** Returns one enrollment with its timeline, as it is at one moment. Fault `not_found`. */
export async function getEnrollment(
  ctx: Ctx,
  req: GetEnrollmentRequest,
): Promise<Reply<typeof GetEnrollmentResponseSchema>> {
  const enrollment = await ctx.tx((em) => requireEnrollmentReply(em, ctx.workspaceId, req.enrollmentId), {
    isSnapshot: true,
  })
  return { enrollment }
}
