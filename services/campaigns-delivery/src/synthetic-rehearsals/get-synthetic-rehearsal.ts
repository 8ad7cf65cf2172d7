import type {
  GetSyntheticRehearsalRequest,
  GetSyntheticRehearsalResponseSchema,
} from '@lettergate/contracts/campaigns/v1/synthetic_rehearsals'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireSyntheticRehearsal } from './synthetic-rehearsal.entity.ts'

/** Returns one rehearsal. Its report is empty until the rehearsal has ended. */
export async function getSyntheticRehearsal(
  ctx: Ctx,
  req: GetSyntheticRehearsalRequest,
): Promise<Reply<typeof GetSyntheticRehearsalResponseSchema>> {
  return { run: await ctx.tx((em) => requireSyntheticRehearsal(em, ctx.workspaceId, req.runId)) }
}
