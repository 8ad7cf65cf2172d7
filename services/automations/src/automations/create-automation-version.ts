import type {
  CreateAutomationVersionRequest,
  CreateAutomationVersionResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { optionalText } from '@lettergate/values/text'
import type { Ctx } from '../ctx.ts'
import { automationReply } from './automation-reply.ts'
import { insertVersion } from './automation-version.entity.ts'
import { changeAutomation, notReviewReady, requireAutomation } from './automation.entity.ts'
import { checkReferences, parseDefinition } from './checked-definition.ts'
import { requireExpectedVersion } from './require-expected-version.ts'

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
  const saving = {
    expected: req.expectedVersion,
    notDone: 'Nothing was saved.',
    next: (version: number) => `or expect version ${version} to replace it`,
  }
  await ctx.tx(async (em) => {
    const automation = await requireAutomation(em, workspaceId, { id: req.automationId })
    await requireExpectedVersion(em, automation, saving)
  })
  const checked = await checkReferences(ctx, parsed)
  return ctx.tx(async (em) => {
    const automation = await requireAutomation(em, workspaceId, { id: req.automationId, isLocked: true })
    await requireExpectedVersion(em, automation, saving)
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

/** Throws Fault `failed_precondition` if an automation cannot have a version of this number. */
export function requireSpaceForVersion(version: number): void {
  if (version <= versionsMax) return
  throw new Fault(
    'failed_precondition',
    'versions_limit',
    `This automation has ${versionsMax} versions, which is the most. Create another automation. Nothing was changed.`,
  )
}
