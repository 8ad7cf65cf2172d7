import type {
  CreateSyntheticEnrollmentRequest,
  CreateSyntheticEnrollmentResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import { selectAutomations } from '../automations/automation.entity.ts'
import type { AutomationVersionRow } from '../automations/automation-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { requireOpenGate } from '../gates/require-open-gate.ts'
import { Enrollment } from './enrollment.entity.ts'
import { requireEnrollmentReply } from './enrollment-reply.ts'
import { insertPosition } from './insert-position.ts'
import {
  findEarlier,
  parseSyntheticRequest,
  requireSyntheticContact,
  requireSyntheticWorkspace,
  requireVersion,
  type SyntheticRequest,
} from './synthetic-request.ts'

/**
 * Enrols a synthetic contact in one version of an automation. A repeated key answers the original enrollment as it is now. Fault
 * `failed_precondition` in production, outside of a synthetic workspace and for any contact that is not bound to the rehearsal.
 */
export async function createSyntheticEnrollment(
  ctx: Ctx,
  req: CreateSyntheticEnrollmentRequest,
): Promise<Reply<typeof CreateSyntheticEnrollmentResponseSchema>> {
  const { workspaceId } = ctx
  const wanted = parseSyntheticRequest(req)
  await requireSyntheticWorkspace(ctx)
  const { version, earlier } = await ctx.tx(async (em) => {
    const found = await requireVersion(em, workspaceId, wanted)
    const original = await findEarlier(em, workspaceId, wanted)
    return { version: found, earlier: original && (await requireEnrollmentReply(em, workspaceId, original.id)) }
  })
  if (earlier) return { enrollment: earlier }
  await requireOpenGate(ctx)
  await requireSyntheticContact(ctx, wanted)
  const enrollment = await ctx.tx(async (em) => {
    const id = await insertOnce(em, ctx, { wanted, version })
    return requireEnrollmentReply(em, workspaceId, id)
  })
  ctx.wakeWorkers()
  return { enrollment }
}

/** Answers the id of the enrollment, or of the one that a concurrent request with the same key has inserted. */
async function insertOnce(
  em: Em,
  ctx: Ctx,
  { wanted, version }: { wanted: SyntheticRequest; version: AutomationVersionRow },
): Promise<string> {
  const { workspaceId, caller } = ctx
  await requireNotArchived(em, workspaceId, wanted)
  const { definition } = readDefinition(version.definition)
  if (!definition) throw new Error('a stored definition cannot be read')
  const { trigger, startNode } = definition
  const now = ctx.now()
  const enrollment = {
    workspace_id: workspaceId,
    id: newId(),
    automation_id: wanted.automationId,
    version_id: version.id,
    contact_id: wanted.contactId,
    trigger_type: trigger.type,
    audience_id: trigger.type === 'audience_subscribed' ? trigger.audienceId : null,
    synthetic_context_id: wanted.syntheticContextId,
    idempotency_key: wanted.idempotencyKey,
    correlation_id: caller.correlationId,
    trace: carrier(),
    enrolled_at: now.toISOString(),
  }
  const inserted = await kyselyOf(em, Enrollment)
    .insertInto('enrollments')
    .values(enrollment)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'idempotency_key']).where('idempotency_key', 'is not', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  if (!inserted) return (await findEarlier(em, workspaceId, wanted))!.id
  if (!(await insertPosition(em, { enrollment, nodeKey: startNode, stepNumber: 1, now })))
    throw new Fault(
      'conflict',
      'contact_enrolled',
      'The contact is in this automation already, with another enrollment. Nothing was changed.',
    )
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
    },
  })
  return enrollment.id
}

/** The share lock makes an archiving request wait until the enrollment is stored. */
async function requireNotArchived(em: Em, workspaceId: string, { automationId }: SyntheticRequest): Promise<void> {
  const { status } = await selectAutomations(em, workspaceId)
    .where('id', '=', automationId)
    .forShare()
    .executeTakeFirstOrThrow()
  if (status === 'archived')
    throw new Fault(
      'failed_precondition',
      'automation_status',
      'This automation is archived. Restore it first. Nothing was changed.',
    )
}
