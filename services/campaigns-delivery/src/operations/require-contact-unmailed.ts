import type {
  RequireContactUnmailedRequest,
  RequireContactUnmailedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { row, sql } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isId } from '../domain/identifier.ts'

/** Fault `failed_precondition` when a message to this contact was sent, is on its way, or is planned by a run. */
export async function requireContactUnmailed(
  ctx: Ctx,
  { contactId }: RequireContactUnmailedRequest,
): Promise<Reply<typeof RequireContactUnmailedResponseSchema>> {
  if (!isId(contactId)) return {}
  const message = await ctx.tx((em) =>
    row<{ run_id: string }>(
      em,
      sql`select run_id from run_recipients where workspace_id = ${ctx.workspaceId} and contact_id = ${contactId} limit 1`,
    ),
  )
  if (message) {
    throw new Fault(
      'failed_precondition',
      'contact_has_messages',
      `Campaign run ${message.run_id} has this contact among its recipients. Contacts with messages are kept, so that every message can be accounted for.`,
    )
  }
  return {}
}
