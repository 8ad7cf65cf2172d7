import type {
  RequireSenderUnusedRequest,
  RequireSenderUnusedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'

/** Fault `failed_precondition` that names a campaign that is not over and whose current draft or run uses this sender. */
export async function requireSenderUnused(
  ctx: Ctx,
  { senderId }: RequireSenderUnusedRequest,
): Promise<Reply<typeof RequireSenderUnusedResponseSchema>> {
  if (!isUuid(senderId)) return {}
  const user = await ctx.tx((em) =>
    row<{ id: string; name: string }>(
      em,
      sql`select c.id, d.name from campaigns c
            join campaign_draft_versions d on d.workspace_id = c.workspace_id and d.campaign_id = c.id and d.version = c.current_version
           where c.workspace_id = ${ctx.workspaceId} and c.deleted_at is null
             and (c.status in ('draft', 'scheduled', 'sending') and d.sender_identity_id = ${senderId}::uuid
                  or exists (select from campaign_runs r where r.workspace_id = c.workspace_id and r.campaign_id = c.id
                                and r.sender_identity_id = ${senderId}::uuid and r.state in ('building', 'scheduled', 'sending', 'paused')))
           order by c.id limit 1`,
    ),
  )
  if (user) {
    throw new Fault(
      'failed_precondition',
      'sender_in_use',
      `The campaign ${JSON.stringify(user.name)} (${user.id}) uses this sender. Choose another one for it, or end it first.`,
    )
  }
  return {}
}
