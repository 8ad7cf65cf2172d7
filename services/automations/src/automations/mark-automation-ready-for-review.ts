import type {
  MarkAutomationReadyForReviewRequest,
  MarkAutomationReadyForReviewResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { parseUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { findVersion } from './automation-version.entity.ts'
import { changeAutomation, requireAutomation, type AutomationRow } from './automation.entity.ts'

/**
 * Marks the current version of a draft as ready for review, and changes nothing else. A repeat for the same version keeps the
 * first mark. Fault `failed_precondition` for another version, or in another status.
 */
export async function markAutomationReadyForReview(
  ctx: Ctx,
  req: MarkAutomationReadyForReviewRequest,
): Promise<Reply<typeof MarkAutomationReadyForReviewResponseSchema>> {
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId, isLocked: true })
    await requireCurrent(em, automation, req)
    return { automation: await automationReply(em, await mark(ctx, em, automation)) }
  })
}

async function mark(ctx: Ctx, em: Em, automation: AutomationRow): Promise<AutomationRow> {
  if (automation.status === 'ready_for_review') return automation
  if (automation.status !== 'draft') throw notDraft(automation)
  await publish(em, AuditRecordedSchema, {
    action: 'automation_review_requested',
    subjectType: 'automation',
    subjectId: automation.id,
    actor: ctx.caller.actor,
    detail: { version: automation.current_version },
  })
  return changeAutomation(em, automation, {
    status: 'ready_for_review',
    review_ready_version: automation.current_version,
    review_ready_by_wallet_id: ctx.caller.actor,
    review_ready_at: ctx.now().toISOString(),
  })
}

async function requireCurrent(
  em: Em,
  automation: AutomationRow,
  { versionId, definitionChecksum }: MarkAutomationReadyForReviewRequest,
): Promise<void> {
  const of = { workspaceId: automation.workspace_id, automationId: automation.id }
  const current = await findVersion(em, of, { version: automation.current_version })
  if (current?.id !== parseUuid(versionId)) throw notCurrent('version_id', 'the id')
  if (current?.definition_checksum !== definitionChecksum) throw notCurrent('definition_checksum', 'the checksum')
}

const notCurrent = (field: string, what: string) =>
  new Fault(
    'failed_precondition',
    field,
    `${field} is not ${what} of the current version. Read the automation, review that version, and send its id and checksum.`,
  )

const notDraft = ({ status }: AutomationRow) =>
  new Fault(
    'failed_precondition',
    'automation_status',
    `This automation is ${status}, and only a draft can be marked as ready for review. Nothing was changed.`,
  )
