import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { stepsMax } from './steps-max.ts'
import { Enrollment, type EnrollmentRow } from './enrollment.entity.ts'
import { EnrollmentStep } from './enrollment-step.entity.ts'
import { requireNotErased } from './erased-contact.entity.ts'
import { insertPosition } from './insert-position.ts'

type StepRow = Row<typeof EnrollmentStep>

/**
 * Makes a failed enrollment that the transaction has locked active again, at the node of this step or of the failed one, as another
 * step. Answers the repeated step's id. Throws Fault `conflict` if the contact is in the automation again or was erased, and
 * `invalid_argument` for an unknown step.
 */
export async function replayStep(
  em: Em,
  enrollment: EnrollmentRow,
  { stepId, now }: { stepId: string | undefined; now: Date },
): Promise<string> {
  if (enrollment.has_virtual_clock)
    throw new Fault(
      'conflict',
      'virtual_clock',
      'The times of this enrollment are those of a virtual clock, so no step can follow now. Run it again. Nothing was changed.',
    )
  await requireNotErased(em, enrollment.workspace_id, enrollment.contact_id)
  const last = await newestStep(em, enrollment)
  if (!last) throw new Error('a failed enrollment has no step')
  const step =
    stepId === undefined ? last : await stepsOf(em, enrollment).where('step_id', '=', stepId).executeTakeFirst()
  if (last.number >= stepsMax)
    throw new Fault(
      'conflict',
      'too_many_steps',
      `This enrollment has ${stepsMax} steps, which is the most. Nothing was changed.`,
    )
  const entered = await insertPosition(em, {
    enrollment,
    nodeKey: (step ?? last).node_key,
    stepNumber: last.number + 1,
    now,
  })
  if (!entered)
    throw new Fault(
      'conflict',
      'contact_enrolled',
      'The contact is in this automation again, with another enrollment. Nothing was changed.',
    )
  // After the conflicts, which are answered first. The transaction leaves no position.
  if (!step) throw stepUnknown()
  await kyselyOf(em, Enrollment)
    .updateTable('enrollments')
    .set({ end_state: null, ended_at: null })
    .where('workspace_id', '=', enrollment.workspace_id)
    .where('id', '=', enrollment.id)
    .execute()
  return step.step_id
}

const stepsOf = (em: Em, { workspace_id: workspaceId, id }: EnrollmentRow) =>
  kyselyOf(em, EnrollmentStep)
    .selectFrom('enrollment_steps')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('enrollment_id', '=', id)

/** A failed enrollment has failed at its last step. */
const newestStep = (em: Em, enrollment: EnrollmentRow): Promise<StepRow | undefined> =>
  stepsOf(em, enrollment).orderBy('number', 'desc').limit(1).executeTakeFirst()

/** `step_id` names no step that can be repeated. */
export const stepUnknown = (): Fault =>
  new Fault(
    'invalid_argument',
    'step_id',
    'step_id is not the id of a finished step of this enrollment. Read the enrollment for its steps.',
  )
