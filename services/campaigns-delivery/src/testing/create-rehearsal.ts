import type {
  CreateRehearsalRequest,
  CreateRehearsalResponseSchema,
} from '@lettergate/contracts/campaigns/v1/test_sends'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireRehearsal } from './rehearsal.entity.ts'
import { sendTest } from './send-test.ts'
import { parseTestSend } from './test-send-input.ts'

/**
 * Creates a rehearsal, once for each key: a test send whose signed events are awaited. A repeat returns the current state of
 * the original.
 */
export async function createRehearsal(
  ctx: Ctx,
  req: CreateRehearsalRequest,
): Promise<Reply<typeof CreateRehearsalResponseSchema>> {
  const testSendId = await sendTest(ctx, parseTestSend('rehearsal', req))
  return { rehearsal: await ctx.tx((em) => requireRehearsal(em, ctx.workspaceId, { testSendId })) }
}
