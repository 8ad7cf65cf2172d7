import type { GetRehearsalRequest, GetRehearsalResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRehearsal } from './rehearsal.entity.ts'

/** Returns one rehearsal with its event counts and missing events, read at one moment. */
export async function getRehearsal(
  ctx: Ctx,
  req: GetRehearsalRequest,
): Promise<Reply<typeof GetRehearsalResponseSchema>> {
  return ctx.tx(async (em) => ({ rehearsal: await requireRehearsal(em, ctx.workspaceId, { id: req.rehearsalId }) }), {
    isSnapshot: true,
  })
}
