import type { GetRehearsalRequest, GetRehearsalResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRehearsal } from './rehearsal.entity.ts'

/** One rehearsal with the events counted so far and what is still missing, all of one moment. */
export async function getRehearsal(
  ctx: Ctx,
  req: GetRehearsalRequest,
): Promise<Reply<typeof GetRehearsalResponseSchema>> {
  return ctx.tx(async (em) => ({ rehearsal: await requireRehearsal(em, ctx.workspaceId, { id: req.rehearsalId }) }), {
    isSnapshot: true,
  })
}
