import type {
  RestoreAutomationRequest,
  RestoreAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { changeAutomation, notReviewReady, requireAutomation } from './automation.entity.ts'

/** Makes an archived automation a draft that nobody has reviewed. Enrols nobody. Fault `failed_precondition` unless it is archived. */
export async function restoreAutomation(
  ctx: Ctx,
  req: RestoreAutomationRequest,
): Promise<Reply<typeof RestoreAutomationResponseSchema>> {
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId, isLocked: true })
    if (automation.status !== 'archived') throw notArchived(automation.status)
    await publish(em, AuditRecordedSchema, {
      action: 'automation_restored',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: ctx.caller.actor,
      detail: {},
    })
    const restored = await changeAutomation(em, automation, { status: 'draft', ...notReviewReady })
    return { automation: await automationReply(em, restored) }
  })
}

const notArchived = (status: string) =>
  new Fault(
    'failed_precondition',
    'automation_status',
    `This automation is ${status.replaceAll('_', ' ')}, and only an archived one can be restored. Nothing was changed.`,
  )
