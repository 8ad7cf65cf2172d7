import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type {
  ListLastMessagesRequest,
  ListLastMessagesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'

const audiencesMax = 100

/**
 * Returns the newest hand-off to a contact for each audience, newest first, at most 100. Hand-offs that were put back or
 * failed do not count. Empty for an unknown contact, because contacts-consent owns contacts.
 */
export async function listLastMessages(
  ctx: Ctx,
  { contactId }: ListLastMessagesRequest,
): Promise<Reply<typeof ListLastMessagesResponseSchema>> {
  const { workspaceId } = ctx
  if (!isUuid(contactId)) return { lastMessages: [] }
  const found = await ctx.tx((em) =>
    rows<{ audience_id: string; run_id: string; campaign_id: string; claimed_at: string }>(
      em,
      sql`with mailed as (
            select distinct on (r.audience_id) r.audience_id, r.run_id, h.claimed_at
              from run_recipients r
              join hand_offs h on h.workspace_id = r.workspace_id and h.origin_id = r.run_id and h.batch = r.batch and r.id = any(h.message_ids)
             where r.workspace_id = ${workspaceId} and r.contact_id = ${contactId} and h.state in ('claimed', 'accepted', 'unknown')
             order by r.audience_id, h.claimed_at desc)
          select mailed.*, c.campaign_id
            from mailed join campaign_runs c on c.workspace_id = ${workspaceId} and c.id = mailed.run_id
           order by mailed.claimed_at desc limit ${audiencesMax}`,
    ),
  )
  return {
    lastMessages: found.map((message) => ({
      audienceId: message.audience_id,
      runId: message.run_id,
      campaignId: message.campaign_id,
      handedOffAt: timestampFromDate(new Date(message.claimed_at)),
    })),
  }
}
