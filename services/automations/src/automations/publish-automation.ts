import type {
  PublishAutomationRequest,
  PublishAutomationResponseSchema,
} from '@lettergate/contracts/automations/v1/automations'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { automationReply } from './automation-reply.ts'
import { findVersion, type AutomationVersionRow } from './automation-version.entity.ts'
import { Automation, changeAutomation, requireAutomation, type AutomationRow } from './automation.entity.ts'
import { describeReferences, firstSentences, unfitReferences } from './describe-references.ts'
import { requireExpectedVersion } from './require-expected-version.ts'

/** Published automations with the same trigger and the same audience or tag. One event enrols a contact in all of them. */
const publishedMax = 100

/**
 * Publishes the current version, which is ready for review or was published before it was paused. Its trigger enrols contacts from
 * now on, and contacts that were held move on. Fault `failed_precondition` in any other status, and while the version names what
 * cannot be used any more. Fault `conflict` if the caller expected another version than the current one. Calls contacts-consent and
 * campaigns-delivery.
 */
export async function publishAutomation(
  ctx: Ctx,
  req: PublishAutomationRequest,
): Promise<Reply<typeof PublishAutomationResponseSchema>> {
  const publishing = {
    expected: req.expectedVersion,
    notDone: 'Nothing was published.',
    next: (version: number) => `then publish version ${version}`,
  }
  const seen = await ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId })
    await requireExpectedVersion(em, automation, publishing)
    requirePublishable(automation)
    const version = await findVersion(
      em,
      { workspaceId: automation.workspace_id, automationId: automation.id },
      { version: automation.current_version },
    )
    if (!version) throw new Error('an automation has no row for its current version')
    return { ...version, status: automation.status }
  })
  const subjectId = await subjectOf(ctx, seen)
  const reply = await ctx.tx(async (em) => {
    const automation = await requireAutomation(em, ctx.workspaceId, { id: req.automationId, isLocked: true })
    await requireExpectedVersion(em, automation, publishing)
    requirePublishable(automation)
    if (automation.current_version !== seen.version) throw changedMeanwhile()
    if (subjectId !== null) await requireSpaceForTrigger(em, automation, { type: seen.trigger_type, subjectId })
    await publish(em, AuditRecordedSchema, {
      action: 'automation_published',
      subjectType: 'automation',
      subjectId: automation.id,
      actor: ctx.caller.actor,
      detail: {
        version: automation.current_version,
        definition_checksum: seen.definition_checksum,
        previous_status: automation.status,
      },
    })
    const published = await changeAutomation(em, automation, {
      status: 'published',
      published_version_id: seen.id,
      published_by_wallet_id: ctx.caller.actor,
      // the clock of the database, with which events are compared
      published_at: sql<string>`now()`,
      trigger_type: seen.trigger_type,
      trigger_subject_id: subjectId,
    })
    return { automation: await automationReply(em, published) }
  })
  ctx.wakeWorkers()
  return reply
}

/** Two requests at the same moment may exceed the limit by one, which harms nobody. */
async function requireSpaceForTrigger(
  em: Em,
  { workspace_id: workspaceId }: AutomationRow,
  { type, subjectId }: { type: string; subjectId: string },
): Promise<void> {
  const { count } = await kyselyOf(em, Automation)
    .selectFrom('automations')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'published')
    .where('trigger_type', '=', type)
    .where('trigger_subject_id', '=', subjectId)
    .executeTakeFirstOrThrow()
  if (Number(count) < publishedMax) return
  throw new Fault(
    'failed_precondition',
    'published_automations_limit',
    `${publishedMax} automations with this trigger are published, which is the most. Pause or archive one of them. Nothing was changed.`,
  )
}

function requirePublishable({ status }: AutomationRow): void {
  if (status === 'ready_for_review' || status === 'paused') return
  throw new Fault(
    'failed_precondition',
    'automation_status',
    status === 'published'
      ? 'This automation is published already. Nothing was changed.'
      : `This automation is ${status}. Mark its current version as ready for review first. Nothing was changed.`,
  )
}

const changedMeanwhile = () =>
  new Fault(
    'failed_precondition',
    'automation_changed',
    'Another version was appended in the meantime. Read the automation and decide again. Nothing was changed.',
  )

/**
 * The audience or tag whose events enrol; null for triggers that enrol nobody. Events name a tag by its id, and the definition may
 * name it by either. Objects may have been deleted since the version was checked, so Fault `failed_precondition` names each of them. The
 * template of content may be archived only when the version was published before the pause.
 */
async function subjectOf(
  ctx: Ctx,
  { definition: stored, status }: AutomationVersionRow & Pick<AutomationRow, 'status'>,
): Promise<string | null> {
  const { definition } = readDefinition(stored)
  if (!definition) throw new Error('a stored definition cannot be read')
  const described = await describeReferences(ctx, definition)
  const archived = status === 'paused' ? [] : described.archivedTemplates
  const unfit = [...unfitReferences(definition, described), ...archived]
  if (unfit.length > 0) throw referencesMissing(unfit)
  const { trigger } = definition
  if (trigger.type === 'audience_subscribed') return trigger.audienceId
  return trigger.type === 'tag_added' || trigger.type === 'tag_removed' ? described.tagIds.get(trigger.tag)! : null
}

const referencesMissing = (unfit: readonly string[]) =>
  new Fault(
    'failed_precondition',
    'references_missing',
    [
      'The version names what cannot be used any more. Append a version without it. Nothing was changed.',
      ...firstSentences(unfit),
    ].join('\n'),
  )
