import type {
  ListSenderIdentitiesRequest,
  ListSenderIdentitiesResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { moment } from '@lettergate/values/moment'
import { isCheckCurrent, senderStateOf, type RecordState } from '../domain/readiness.ts'

interface SenderRow {
  id: string
  display_name: string
  from_address: string
  reply_to: string
  is_enabled: boolean
  enabled_at: string | null
  enabled_by: string | null
  created_at: string
  sending_domain_id: string
  domain_name: string
  verification_state: RecordState
  is_ready: boolean
  last_check_passed: boolean
  checked_at: string | null
}

/** Every sender of the workspace by from-address, with how its domain stands now. */
export async function listSenderIdentities(
  ctx: Ctx,
  _req: ListSenderIdentitiesRequest,
): Promise<Reply<typeof ListSenderIdentitiesResponseSchema>> {
  const found = await ctx.tx((em) =>
    rows<SenderRow>(
      em,
      sql`select s.*, d.domain_name, d.verification_state, d.is_ready, d.last_check_passed, d.checked_at
            from sender_identities s join sending_domains d on d.workspace_id = s.workspace_id and d.id = s.sending_domain_id
           where s.workspace_id = ${ctx.workspaceId} order by s.from_address, s.id`,
    ),
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
