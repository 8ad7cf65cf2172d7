import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { carrier } from '@lettergate/service/tracing'
import { selectAutomations } from '../automations/automation.entity.ts'
import type { AutomationVersionRow } from '../automations/automation-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { Enrollment, type EnrollmentRow } from './enrollment.entity.ts'
import { requireNotErased } from './erased-contact.entity.ts'
import { findEarlier, type SyntheticRequest } from './synthetic-request.ts'

/** Inserts the enrollment without a position, and records it in the audit log. Answers the other one if a concurrent request with the same key was first. */
export async function insertSyntheticEnrollment(
  em: Em,
  ctx: Ctx,
  { id, wanted, version }: { id: string; wanted: SyntheticRequest; version: AutomationVersionRow },
): Promise<{ enrollment: EnrollmentRow; isNew: boolean }> {
  const { workspaceId, caller } = ctx
  await requireNotErased(em, workspaceId, wanted.contactId)
  await requireStatus(em, workspaceId, wanted)
  const { definition } = readDefinition(version.definition)
  if (!definition) throw new Error('a stored definition cannot be read')
  const { trigger } = definition
  const enrollment = await kyselyOf(em, Enrollment)
    .insertInto('enrollments')
    .values({
      workspace_id: workspaceId,
      id,
      automation_id: wanted.automationId,
      version_id: version.id,
      contact_id: wanted.contactId,
      trigger_type: trigger.type,
      audience_id: trigger.type === 'audience_subscribed' ? trigger.audienceId : null,
      synthetic_context_id: wanted.syntheticContextId,
      idempotency_key: wanted.idempotencyKey,
      has_virtual_clock: wanted.startsAt !== null,
      correlation_id: caller.correlationId,
      trace: carrier(),
      enrolled_at: (wanted.startsAt ?? ctx.now()).toISOString(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'idempotency_key', 'has_virtual_clock'])
        .where('idempotency_key', 'is not', null)
        .doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  if (!enrollment) return { enrollment: (await findEarlier(em, workspaceId, wanted))!, isNew: false }
  await publish(em, AuditRecordedSchema, {
    action: 'enrollment_created',
    subjectType: 'enrollment',
    subjectId: enrollment.id,
    actor: caller.actor,
    detail: {
      automation_id: wanted.automationId,
      version: version.version,
      contact_id: wanted.contactId,
      synthetic: true,
      synthetic_context_id: wanted.syntheticContextId,
      ...(wanted.startsAt === null ? {} : { virtual_clock_from: wanted.startsAt.toISOString() }),
    },
  })
  return { enrollment, isNew: true }
}

/**
 * Contacts are enrolled only in a published automation; a virtual clock, which moves no contact, runs in every one that is not archived.
 * The share lock makes a change of the status wait until the enrollment is stored.
 */
async function requireStatus(em: Em, workspaceId: string, { automationId, startsAt }: SyntheticRequest): Promise<void> {
  const { status } = await selectAutomations(em, workspaceId)
    .where('id', '=', automationId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (startsAt === null ? status === 'published' : status !== 'archived') return
  throw new Fault(
    'failed_precondition',
    'automation_status',
    `This automation is ${status.replaceAll('_', ' ')}. ${startsAt === null ? 'Publish' : 'Restore'} it first. Nothing was changed.`,
  )
}
