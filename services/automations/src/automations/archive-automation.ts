import type {
  ArchiveAutomationRequest,
  ArchiveAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { changeAutomation, requireAutomation } from './automation.entity.ts'

/** Archives an automation in any status. A repeat changes nothing. */
export async function archiveAutomation(
  ctx: Ctx,
  req: ArchiveAutomationRequest,
): Promise<Reply<typeof ArchiveAutomationResponseSchema>> {
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId, isLocked: true })
    if (automation.status === 'archived') return { automation: await automationReply(em, automation) }
    await publish(em, AuditRecordedSchema, {
      action: 'automation_archived',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: ctx.caller.actor,
      detail: { previous_status: automation.status },
    })
    const archived = await changeAutomation(em, automation, { status: 'archived' })
    return { automation: await automationReply(em, archived) }
  })
}
