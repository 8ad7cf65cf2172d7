import type {
  CreateAutomationVersionRequest,
  CreateAutomationVersionResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { optionalText } from '@lettergate/values/text'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { findVersion, insertVersion } from './automation-version.entity.ts'
import { changeAutomation, notReviewReady, requireAutomation, type AutomationRow } from './automation.entity.ts'
import { checkReferences, parseDefinition } from './checked-definition.ts'

/** Versions of one automation. */
const versionsMax = 500

/**
 * Appends an immutable version, which becomes the current one. In any status, the automation becomes a draft that nobody has reviewed.
 * Fault `failed_precondition` after 500 versions, `conflict` if the caller expected another version than the current one.
 */
export async function createAutomationVersion(
  ctx: Ctx,
  req: CreateAutomationVersionRequest,
): Promise<Reply<typeof CreateAutomationVersionResponseSchema>> {
  const { workspaceId, caller } = ctx
  const changeNotes = optionalText('change_notes', req.changeNotes)
  const parsed = parseDefinition(req.definition)
  await ctx.tx(async (em) => {
    const automation = await requireAutomation(em, workspaceId, { id: req.automationId })
    await requireExpectedVersion(em, automation, req.expectedVersion)
  })
  const checked = await checkReferences(ctx, parsed)
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, workspaceId, { id: req.automationId, isLocked: true })
    await requireExpectedVersion(em, automation, req.expectedVersion)
    const version = automation.current_version + 1
    requireSpaceForVersion(version)
    const changed = await changeAutomation(em, automation, {
      current_version: version,
      status: 'draft',
      ...notReviewReady,
    })
    const of = { workspaceId, automationId: automation.id, version }
    await insertVersion(em, of, { checked, changeNotes, by: caller.actor })
    await publish(em, AuditRecordedSchema, {
      action: 'automation_version_created',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: caller.actor,
      detail: { version, definition_checksum: checked.checksum, previous_status: automation.status },
    })
    return { automation: await automationReply(em, changed) }
  })
}

/** Throws Fault `conflict`, which says who saved the current version, if another version was expected. */
async function requireExpectedVersion(em: Em, automation: AutomationRow, expected: number | undefined): Promise<void> {
  const { workspace_id: workspaceId, id: automationId, current_version: version } = automation
  if (expected === undefined || expected === version) return
  const current = await findVersion(em, { workspaceId, automationId }, { version })
  if (!current) throw new Error('an automation has no row for its current version')
  throw new Fault(
    'conflict',
    'automation_changed',
    `Version ${version} of this automation was saved by ${current.created_by_wallet_id} at ${new Date(current.created_at).toISOString()}, and you began with version ${expected}. Nothing was saved. Read the automation again, or expect version ${version} to replace it.`,
  )
}

/** Throws Fault `failed_precondition` if an automation cannot have a version of this number. */
export function requireSpaceForVersion(version: number): void {
  if (version <= versionsMax) return
  throw new Fault(
    'failed_precondition',
    'versions_limit',
    `This automation has ${versionsMax} versions, which is the most. Create another automation. Nothing was changed.`,
  )
}
