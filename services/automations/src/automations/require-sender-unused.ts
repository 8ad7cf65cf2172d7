import type {
  RequireSenderUnusedRequest,
  RequireSenderUnusedResponseSchema,
} from '@lettergate/contracts/automations/v1/uses'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireUnused } from './require-unused.ts'

/** Fault `failed_precondition` that names an automation that uses this sender. */
export async function requireSenderUnused(
  ctx: Ctx,
  { senderId }: RequireSenderUnusedRequest,
): Promise<Reply<typeof RequireSenderUnusedResponseSchema>> {
  await requireUnused(ctx, { kind: 'sender', type: 'sender_identity', id: senderId })
  return {}
}
