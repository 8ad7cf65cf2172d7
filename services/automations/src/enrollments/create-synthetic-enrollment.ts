import type {
  CreateSyntheticEnrollmentRequest,
  CreateSyntheticEnrollmentResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { newId } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireEnrollmentReply } from './enrollment-reply.ts'
import { insertPosition } from './insert-position.ts'
import { insertSyntheticEnrollment } from './insert-synthetic-enrollment.ts'
import { checkSyntheticRequest, contactEnrolled, parseSyntheticRequest } from './synthetic-request.ts'

/**
 * Enrols a synthetic contact in one version of a published automation. A repeated key answers the original enrollment as it is now. Fault
 * `failed_precondition` in production, outside of a synthetic workspace and for any contact that is not bound to the rehearsal.
 */
export async function createSyntheticEnrollment(
  ctx: Ctx,
  req: CreateSyntheticEnrollmentRequest,
): Promise<Reply<typeof CreateSyntheticEnrollmentResponseSchema>> {
  const { workspaceId } = ctx
  const wanted = parseSyntheticRequest(req, null)
  const { earlier, version } = await checkSyntheticRequest(ctx, wanted)
  if (earlier) return { enrollment: earlier }
  const reply = await ctx.tx(async (em) => {
    const { enrollment, isNew } = await insertSyntheticEnrollment(em, ctx, { id: newId(), wanted, version })
    const { startNode: nodeKey } = (await ctx.graphs(em, workspaceId, [version.id])).get(version.id)!
    if (isNew && !(await insertPosition(em, { enrollment, nodeKey, stepNumber: 1, now: ctx.now() })))
      throw contactEnrolled()
    return requireEnrollmentReply(em, workspaceId, enrollment.id)
  })
  ctx.wakeWorkers()
  return { enrollment: reply }
}
