import type {
  RequireAudienceUnusedRequest,
  RequireAudienceUnusedResponseSchema,
} from '@lettergate/contracts/automations/v1/uses'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireUnused } from './require-unused.ts'

/** Fault `failed_precondition` that names an automation that uses this audience. */
export async function requireAudienceUnused(
  ctx: Ctx,
  { audienceId }: RequireAudienceUnusedRequest,
): Promise<Reply<typeof RequireAudienceUnusedResponseSchema>> {
  await requireUnused(ctx, { kind: 'audience', type: 'audience', id: audienceId })
  return {}
}
