import type {
  GetAutomationVersionRequest,
  GetAutomationVersionResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { versionReply } from './automation-reply.ts'
import { findVersion } from './automation-version.entity.ts'

/** Returns one version of an automation. Fault `not_found` also for a version of another automation. */
export async function getAutomationVersion(
  ctx: Ctx,
  { automationId, versionId }: GetAutomationVersionRequest,
): Promise<Reply<typeof GetAutomationVersionResponseSchema>> {
  const found =
    isUuid(automationId) && isUuid(versionId)
      ? await ctx.tx((em) => findVersion(em, { workspaceId: ctx.workspaceId, automationId }, { id: versionId }))
      : undefined
  if (!found) throw new Fault('not_found', 'automation_version', 'There is no such version of this automation.')
  return { version: versionReply(found) }
}
