import type { CreateTestSendRequest, CreateTestSendResponseSchema } from '@lettergate/contracts/campaigns/v1/test_sends'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { sendTest } from './send-test.ts'
import { findTestSend, testSendReply } from './test-send.entity.ts'
import { parseTestSend } from './test-send-input.ts'

/** Sends one test message, once for each key. A repeat returns the current state of the original and does not send. */
export async function createTestSend(
  ctx: Ctx,
  req: CreateTestSendRequest,
): Promise<Reply<typeof CreateTestSendResponseSchema>> {
  const id = await sendTest(ctx, parseTestSend('test_send', req))
  const test = await ctx.tx((em) => findTestSend(em, ctx.workspaceId, id))
  return { testSend: testSendReply(test!) }
}
