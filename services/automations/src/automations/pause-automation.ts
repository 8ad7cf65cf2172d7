import type {
  PauseAutomationRequest,
  PauseAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { changeAutomation, requireAutomation } from './automation.entity.ts'

/**
 * Stops new enrollments, and contacts in the automation stay where they are until it is published again. Fault
 * `failed_precondition` unless it is published.
 */
export async function pauseAutomation(
  ctx: Ctx,
  req: PauseAutomationRequest,
): Promise<Reply<typeof PauseAutomationResponseSchema>> {
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId, isLocked: true })
    if (automation.status !== 'published') throw notPublished(automation.status)
    await publish(em, AuditRecordedSchema, {
      action: 'automation_paused',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: ctx.caller.actor,
      detail: { version: automation.current_version },
    })
    const paused = await changeAutomation(em, automation, { status: 'paused' })
    return { automation: await automationReply(em, paused) }
  })
}

const notPublished = (status: string) =>
  new Fault(
    'failed_precondition',
    'automation_status',
    `This automation is ${status.replaceAll('_', ' ')}, and only a published one can be paused. Nothing was changed.`,
  )
