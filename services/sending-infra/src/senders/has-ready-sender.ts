import type { HasReadySenderRequest, HasReadySenderResponseSchema } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SenderIdentity } from '../db/sender-identity.entity.ts'
import { SendingDomain } from '../db/sending-domain.entity.ts'

/** Whether any sender, enabled or not, has a ready domain with a current check. */
export async function hasReadySender(
  ctx: Ctx,
  _req: HasReadySenderRequest,
): Promise<Reply<typeof HasReadySenderResponseSchema>> {
  const oldest = new Date(ctx.now().getTime() - ctx.config.domainCheckMaxAgeHours * 3_600_000)
  const answer = await ctx.tx((em) =>
    kyselyOf(em, SenderIdentity, SendingDomain)
      .selectFrom('sender_identities as s')
      .innerJoin('sending_domains as d', (join) =>
        join.onRef('d.workspace_id', '=', 's.workspace_id').onRef('d.id', '=', 's.sending_domain_id'),
      )
      .select('s.id')
      .where('s.workspace_id', '=', ctx.workspaceId)
      .where('d.is_ready', '=', true)
      .where('d.last_check_passed', '=', true)
      .where('d.checked_at', '>', oldest.toISOString())
      .limit(1)
      .executeTakeFirst(),
  )
  return { found: answer !== undefined }
}
