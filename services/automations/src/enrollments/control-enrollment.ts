import type {
  ControlEnrollmentRequest,
  ControlEnrollmentResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { parseUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { requireOpenGate } from '../gates/require-open-gate.ts'
import { callsFinished } from './calls-finished.ts'
import { enrollmentActions, eventOf, fitsState, refusalMessage, type EnrollmentAction } from './enrollment-controls.ts'
import { EnrollmentEvent } from './enrollment-event.entity.ts'
import { erasedAmong } from './erased-contact.entity.ts'
import { requireEnrollmentReply } from './enrollment-reply.ts'
import { lockEnrollment, requireEnrollment, type LockedEnrollment } from './lock-enrollment.ts'
import { cancelAt, pauseAt, resumeAt } from './move-enrollment.ts'
import { replayStep, stepUnknown } from './replay-step.ts'

/** As in the API document. */
const reasonCharactersMax = 500

interface Control {
  readonly action: EnrollmentAction
  readonly stepId: string | undefined
  readonly now: Date
}

/**
 * Pauses, resumes, cancels or replays an enrollment. A pause or cancellation is answered when a step that had begun is finished; no
 * other one begins. Fault `conflict` if the action does not fit the state, and while the gate is closed.
 */
export async function controlEnrollment(
  ctx: Ctx,
  req: ControlEnrollmentRequest,
): Promise<Reply<typeof ControlEnrollmentResponseSchema>> {
  const { workspaceId } = ctx
  const action = enrollmentActions.find((known) => known === req.action)
  if (!action)
    throw new Fault(
      'not_found',
      'action',
      'There is no such action. An enrollment can be paused, resumed, cancelled or replayed.',
    )
  const reason = readReason(req.reason)
  const stepId = action === 'replay' ? readStepId(req.stepId) : undefined
  const { id, contact_id: contactId } = await ctx.tx((em) =>
    requireEnrollment(em, workspaceId, { id: req.enrollmentId }),
  )
  await requireOpenGate(ctx)
  const control: Control = { action, stepId, now: ctx.now() }
  const changed = await ctx.tx(async (em) => {
    // Before the locks that an erasure waits for.
    const isErased = reason !== null && (await erasedAmong(em, workspaceId, [contactId])).has(contactId)
    const locked = await lockEnrollment(em, workspaceId, id)
    const { enrollment, state } = locked
    if (!fitsState(action, state)) throw new Fault('conflict', 'enrollment_state', refusalMessage(action, state))
    const repeated = await apply(em, locked, control)
    await kyselyOf(em, EnrollmentEvent)
      .insertInto('enrollment_events')
      .values({
        workspace_id: workspaceId,
        enrollment_id: id,
        id: newId(),
        event: eventOf(action),
        actor: ctx.caller.actor,
        reason: isErased ? null : reason,
        step_id: repeated,
        at: control.now.toISOString(),
      })
      .execute()
    await publish(em, AuditRecordedSchema, {
      action: `enrollment_${eventOf(action)}`,
      subjectType: 'enrollment',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: {
        automation_id: enrollment.automation_id,
        synthetic: enrollment.synthetic_context_id !== null,
        previous_state: state,
        ...(repeated === null ? {} : { step_id: repeated }),
      },
    })
    return requireEnrollmentReply(em, workspaceId, id)
  })
  if (action === 'resume' || action === 'replay') {
    ctx.wakeWorkers()
    return { enrollment: changed }
  }
  await callsFinished(ctx, id)
  return { enrollment: await ctx.tx((em) => requireEnrollmentReply(em, workspaceId, id), { isSnapshot: true }) }
}

/** Answers the step that a replay repeats. */
async function apply(em: Em, { enrollment, position }: LockedEnrollment, { action, stepId, now }: Control) {
  if (action === 'replay') return replayStep(em, enrollment, { stepId, now })
  if (action === 'cancel') await cancelAt(em, enrollment, { position, now })
  else if (!position) throw new Error('an enrollment that has not ended has no position')
  else await (action === 'pause' ? pauseAt(em, position) : resumeAt(em, position, now))
  return null
}

function readStepId(given: string | undefined): string | undefined {
  const stepId = given === undefined ? undefined : parseUuid(given)
  if (given !== undefined && stepId === undefined) throw stepUnknown()
  return stepId
}

/** The reason without surrounding white space, null without one. */
function readReason(reason: string | undefined): string | null {
  const text = reason?.trim() ?? ''
  if (Array.from(text).length > reasonCharactersMax)
    throw new Fault('invalid_argument', 'reason', `reason has more than ${reasonCharactersMax} characters.`)
  return text === '' ? null : text
}
