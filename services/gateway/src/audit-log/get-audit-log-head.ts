import type { GetAuditLogHeadRequest, GetAuditLogHeadResponseSchema } from '@lettergate/contracts/identity/v1/audit_log'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'
import { auditHead } from './audit-seal.entity.ts'

/** The newest seal of the audit log. Its hash covers every sealed entry, so a copy elsewhere shows whether the log was replaced. */
export async function getAuditLogHead(
  ctx: Ctx,
  _request: GetAuditLogHeadRequest,
): Promise<Reply<typeof GetAuditLogHeadResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  const head = await ctx.acrossWorkspaces(ctx.caller).tx(auditHead)
  if (!head) return { position: 0 }
  return {
    position: head.position,
    sha256: head.sha256,
    sealedAt: moment(head.sealed_at),
  }
}
