import { kyselyOf, type Em } from '@lettergate/database'
import { DueEnrollment } from './due-enrollment.entity.ts'
import { Enrollment, type EnrollmentRow } from './enrollment.entity.ts'
import { EnrollmentPosition, type EnrollmentPositionRow } from './enrollment-position.entity.ts'
import { HeldEnrollment } from './held-enrollment.entity.ts'
import { insertSteps, type StepPosition } from './insert-steps.ts'
import { isUnsettled, unsettledEmail } from './unsettled-email.ts'

/** Pauses at the position that the transaction has locked. */
export async function pauseAt(em: Em, position: EnrollmentPositionRow): Promise<void> {
  await kyselyOf(em, EnrollmentPosition)
    .updateTable('enrollment_positions')
    .set({ state: 'paused' })
    .where('workspace_id', '=', position.workspace_id)
    .where('enrollment_id', '=', position.enrollment_id)
    .execute()
  await removeWork(em, position)
}

/** Goes on from the position that the transaction has locked. A wait that is not over goes on, and an email that may be sent stays one. */
export async function resumeAt(em: Em, position: EnrollmentPositionRow, now: Date): Promise<void> {
  const dueAt = now.toISOString()
  await kyselyOf(em, EnrollmentPosition)
    .updateTable('enrollment_positions')
    .set({
      state: 'active',
      due_at: dueAt,
      waiting_reason: isUnsettled(position.waiting_reason) ? position.waiting_reason : null,
    })
    .where('workspace_id', '=', position.workspace_id)
    .where('enrollment_id', '=', position.enrollment_id)
    .execute()
  await insertWork(em, { ...position, due_at: dueAt })
}

/** Cancels an enrollment that the transaction has locked, with its position if it has one. An email that may be sent is recorded. */
export async function cancelAt(
  em: Em,
  { workspace_id: workspaceId, id }: EnrollmentRow,
  { position, now }: { position: EnrollmentPositionRow | undefined; now: Date },
): Promise<void> {
  if (position) {
    await kyselyOf(em, EnrollmentPosition)
      .deleteFrom('enrollment_positions')
      .where('workspace_id', '=', workspaceId)
      .where('enrollment_id', '=', id)
      .execute()
    await removeWork(em, position)
    await recordUnsettled(em, workspaceId, { positions: [position], now })
  }
  await kyselyOf(em, Enrollment)
    .updateTable('enrollments')
    .set({ end_state: 'cancelled', ended_at: now.toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Records the emails of these positions, which are gone, that may be sent. */
export const recordUnsettled = (
  em: Em,
  workspaceId: string,
  {
    positions,
    now,
  }: { positions: readonly (StepPosition & Pick<EnrollmentPositionRow, 'waiting_reason'>)[]; now: Date },
): Promise<void> =>
  insertSteps(
    em,
    workspaceId,
    positions.flatMap((person) => {
      const step = unsettledEmail(person.step_id, person.waiting_reason)
      return step ? [{ person, step, at: now }] : []
    }),
  )

type Work = Pick<EnrollmentPositionRow, 'workspace_id' | 'enrollment_id' | 'due_at'>

export const insertWork = (em: Em, { workspace_id, enrollment_id, due_at }: Work) =>
  kyselyOf(em, DueEnrollment)
    .insertInto('due_enrollments')
    .values({ workspace_id, enrollment_id, due_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Waits for a worker that is just taking the row, whose claim is visible from then on. */
async function removeWork(em: Em, position: EnrollmentPositionRow): Promise<void> {
  await kyselyOf(em, DueEnrollment)
    .deleteFrom('due_enrollments')
    .where('workspace_id', '=', position.workspace_id)
    .where('due_at', '=', position.due_at)
    .where('enrollment_id', '=', position.enrollment_id)
    .execute()
  await kyselyOf(em, HeldEnrollment)
    .deleteFrom('held_enrollments')
    .where('workspace_id', '=', position.workspace_id)
    .where('automation_id', '=', position.automation_id)
    .where('enrollment_id', '=', position.enrollment_id)
    .execute()
}
