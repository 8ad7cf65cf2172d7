import type {
  ListSenderIdentitiesRequest,
  ListSenderIdentitiesResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { kyselyOf } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { SenderIdentity } from '../db/sender-identity.entity.ts'
import { SendingDomain } from '../db/sending-domain.entity.ts'
import { moment } from '@lettergate/values/moment'
import { isCheckCurrent, senderStateOf } from '../records/readiness.ts'

/** Every sender of the workspace, sorted by from-address, with the current state of its domain. */
export async function listSenderIdentities(
  ctx: Ctx,
  _req: ListSenderIdentitiesRequest,
): Promise<Reply<typeof ListSenderIdentitiesResponseSchema>> {
  const found = await ctx.tx((em) =>
    kyselyOf(em, SenderIdentity, SendingDomain)
      .selectFrom('sender_identities as s')
      .innerJoin('sending_domains as d', (join) =>
        join.onRef('d.workspace_id', '=', 's.workspace_id').onRef('d.id', '=', 's.sending_domain_id'),
      )
      .selectAll('s')
      .select(['d.domain_name', 'd.verification_state', 'd.is_ready', 'd.last_check_passed', 'd.checked_at'])
      .where('s.workspace_id', '=', ctx.workspaceId)
      .orderBy('s.from_address')
      .orderBy('s.id')
      .execute(),
  )
  return {
    senderIdentities: found.map((sender) => ({
      id: sender.id,
      displayName: sender.display_name,
      fromAddress: sender.from_address,
      replyTo: sender.reply_to,
      verificationState: senderStateOf(sender.verification_state),
      isEnabled: sender.is_enabled,
      sendingDomainId: sender.sending_domain_id,
      domainName: sender.domain_name,
      domainIsReady: sender.is_ready,
      domainCheckIsCurrent: isCheckCurrent(
        {
          lastCheckPassed: sender.last_check_passed,
          checkedAt: sender.checked_at === null ? null : new Date(sender.checked_at),
        },
        ctx.now(),
        ctx.config.domainCheckMaxAgeHours,
      ),
      enabledAt: sender.is_enabled ? moment(sender.enabled_at) : undefined,
      enabledBy: sender.is_enabled ? (sender.enabled_by ?? undefined) : undefined,
      createdAt: moment(sender.created_at),
    })),
  }
}
