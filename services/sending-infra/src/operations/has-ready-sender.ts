import type { HasReadySenderRequest, HasReadySenderResponseSchema } from '@lettergate/contracts/sending/v1/sending'
import { row, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

/** Whether any sender, enabled or not, stands on a domain that is ready by a check that still counts. */
export async function hasReadySender(
  ctx: Ctx,
  _req: HasReadySenderRequest,
): Promise<Reply<typeof HasReadySenderResponseSchema>> {
  const oldest = new Date(ctx.now().getTime() - ctx.config.domainCheckMaxAgeHours * 3_600_000)
  const answer = await ctx.tx((em) =>
    row<{ found: boolean }>(
      em,
      sql`select exists (
            select from sender_identities s join sending_domains d on d.workspace_id = s.workspace_id and d.id = s.sending_domain_id
             where s.workspace_id = ${ctx.workspaceId} and d.is_ready and d.last_check_passed and d.checked_at > ${oldest}) as found`,
    ),
  )
  return { found: answer?.found ?? false }
}
