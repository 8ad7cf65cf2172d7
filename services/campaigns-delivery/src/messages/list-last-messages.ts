import type {
  ListLastMessagesRequest,
  ListLastMessagesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, nullable, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isProven } from './message-fact.entity.ts'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'

const audiencesMax = 100

const selectLast = statement('select-last-messages', {
  audience_id: column.uuid(),
  run_id: nullable(column.uuid()),
  automation_id: nullable(column.uuid()),
  claimed_at: column.timestamptz(),
  campaign_id: nullable(column.uuid()),
})

/**
 * Returns the newest hand-off to a contact for each audience, newest first, at most 100. Hand-offs that were put back or
 * failed do not count, unless an event proves the message. Empty for an unknown contact, because contacts-consent owns
 * contacts.
 */
export async function listLastMessages(
  ctx: Ctx,
  { contactId }: ListLastMessagesRequest,
): Promise<Reply<typeof ListLastMessagesResponseSchema>> {
  const { workspaceId } = ctx
  if (!isUuid(contactId)) return { lastMessages: [] }
  const found = await ctx.tx((em) =>
    selectLast.rows(
      em,
      sql`with messages as (
            select id, audience_id, run_id as origin_id, batch from run_recipients where workspace_id = ${workspaceId} and contact_id = ${contactId}
            union all
            select id, audience_id, automation_id, batch from automation_emails
             where workspace_id = ${workspaceId} and contact_id = ${contactId} and audience_id is not null),
          mailed as (
            select distinct on (m.audience_id) m.audience_id, h.kind, h.origin_id, h.claimed_at
              from messages m
              join hand_offs h on h.workspace_id = ${workspaceId} and h.origin_id = m.origin_id and h.batch = m.batch and m.id = any(h.message_ids)
             where h.state in ('claimed', 'accepted', 'unknown') or ${isProven(sql`m.origin_id`, sql`m.id`)}
             order by m.audience_id, h.claimed_at desc)
          select mailed.audience_id, c.id as run_id, c.campaign_id, mailed.claimed_at,
                 case when mailed.kind = 'automation' then mailed.origin_id end as automation_id
            from mailed left join campaign_runs c on c.workspace_id = ${workspaceId} and c.id = mailed.origin_id
           order by mailed.claimed_at desc limit ${audiencesMax}`,
    ),
  )
  return {
    lastMessages: found.map((message) => ({
      audienceId: message.audience_id,
      ...(message.run_id === null ? {} : { runId: message.run_id }),
      ...(message.campaign_id === null ? {} : { campaignId: message.campaign_id }),
      ...(message.automation_id === null ? {} : { automationId: message.automation_id }),
      handedOffAt: moment(message.claimed_at),
    })),
  }
}
