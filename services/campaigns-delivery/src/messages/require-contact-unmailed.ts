import type {
  RequireContactUnmailedRequest,
  RequireContactUnmailedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { column, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'

const selectMessage = statement('select-message-of-contact', { what: column.text(), id: column.uuid() })

/** Fault `failed_precondition` when a run, a test send, an automation or a confirmed sign-up has a message to this contact, whether sent or planned. */
export async function requireContactUnmailed(
  ctx: Ctx,
  { contactId }: RequireContactUnmailedRequest,
): Promise<Reply<typeof RequireContactUnmailedResponseSchema>> {
  if (!isUuid(contactId)) return {}
  const message = await ctx.tx((em) =>
    selectMessage.row(
      em,
      sql`(select 'Campaign run' as what, run_id as id from run_recipients where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} limit 1)
          union all
          (select 'Test send', id from test_sends where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} limit 1)
          union all
          (select 'Automation', automation_id from automation_emails where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} limit 1)
          union all
          (select 'Confirmation email', id from confirmation_emails where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} limit 1) limit 1`,
    ),
  )
  if (message) {
    throw new Fault(
      'failed_precondition',
      'contact_has_messages',
      `${message.what} ${message.id} has this contact among its recipients. Contacts with messages are kept, so that every message can be accounted for.`,
    )
  }
  return {}
}
