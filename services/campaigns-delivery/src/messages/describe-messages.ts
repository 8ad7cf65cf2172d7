import type {
  DescribeMessagesRequest,
  DescribeMessagesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { column, nullable, prepared, sql, statement, unplanned } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'

const messagesMax = 200

const describe = statement('describe-messages', {
  id: column.uuid(),
  kind: column.text(),
  origin_id: column.uuid(),
  campaign_name: nullable(column.text()),
  contact_id: nullable(column.uuid()),
  email: nullable(column.text()),
})

/**
 * Returns for each of these messages what sent it, and its recipient. Messages that this workspace does not have are left out.
 * The email of an automation and of a confirmation has a contact and no stored address.
 */
export async function describeMessages(
  ctx: Ctx,
  req: DescribeMessagesRequest,
): Promise<Reply<typeof DescribeMessagesResponseSchema>> {
  const { workspaceId } = ctx
  if (req.messageId.length > messagesMax)
    throw new Fault('invalid_argument', 'message_id', `message_id has more than ${messagesMax} values.`)
  const ids = [...new Set(req.messageId.filter(isUuid))]
  if (ids.length === 0) return { messages: [] }
  const found = await ctx.tx((em) =>
    describe.rows(
      em,
      prepared(sql`with named as (
          select r.id, 'run' as kind, r.run_id as origin_id, r.contact_id, r.normalized_email as email from run_recipients r
           where r.workspace_id = ${workspaceId} and r.id = any(${unplanned(ids, 'uuid[]')})
          union all
          select t.id, 'test_send', t.id, t.contact_id, t.recipient_email from test_sends t
           where t.workspace_id = ${workspaceId} and t.id = any(${unplanned(ids, 'uuid[]')})
          union all
          select a.id, 'automation', a.automation_id, a.contact_id, null from automation_emails a
           where a.workspace_id = ${workspaceId} and a.id = any(${unplanned(ids, 'uuid[]')})
          union all
          select c.id, 'confirmation', c.id, c.contact_id, null from confirmation_emails c
           where c.workspace_id = ${workspaceId} and c.id = any(${unplanned(ids, 'uuid[]')}))
        select n.id, n.kind, n.origin_id, n.contact_id, n.email, v.name as campaign_name from named n
          left join campaign_runs r on n.kind = 'run' and r.workspace_id = ${workspaceId} and r.id = n.origin_id
          left join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
          left join campaign_draft_versions v on v.workspace_id = r.workspace_id and v.campaign_id = r.campaign_id and v.version = s.draft_version`),
    ),
  )
  return {
    messages: found.map((message) => ({
      messageId: message.id,
      kind: message.kind,
      originId: message.origin_id,
      campaignName: message.campaign_name ?? undefined,
      contactId: message.contact_id ?? undefined,
      email: message.email ?? undefined,
    })),
  }
}
