import { kyselyOf, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { Enrollment, type EnrollmentRow } from './enrollment.entity.ts'
import { EnrollmentPosition, type EnrollmentPositionRow } from './enrollment-position.entity.ts'
import type { EnrollmentState } from './enrollment-state.ts'

/** An enrollment that the transaction has locked, with its position while the contact is in the automation. */
export interface LockedEnrollment {
  readonly enrollment: EnrollmentRow
  readonly position: EnrollmentPositionRow | undefined
  readonly state: EnrollmentState
}

/** The enrollment of this workspace. Throws Fault `not_found`. */
export async function requireEnrollment(
  em: Em,
  workspaceId: string,
  { id, isLocked = false }: { id: string; isLocked?: boolean },
): Promise<EnrollmentRow> {
  const found = isUuid(id)
    ? await kyselyOf(em, Enrollment)
        .selectFrom('enrollments')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .$if(isLocked, (select) => select.forUpdate())
        .executeTakeFirst()
    : undefined
  if (found) return found
  throw new Fault('not_found', 'enrollment', 'There is no such enrollment.')
}

/**
 * Locks the position, or else the enrollment, which has ended. Workers lock in the same order. Throws Fault `not_found`, and
 * `conflict` if another transaction has just replayed it.
 */
export async function lockEnrollment(em: Em, workspaceId: string, id: string): Promise<LockedEnrollment> {
  const { id: enrollmentId } = await requireEnrollment(em, workspaceId, { id })
  const position = await kyselyOf(em, EnrollmentPosition)
    .selectFrom('enrollment_positions')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('enrollment_id', '=', enrollmentId)
    .forUpdate()
    .executeTakeFirst()
  const enrollment = await requireEnrollment(em, workspaceId, { id: enrollmentId, isLocked: position === undefined })
  const state = position?.state ?? enrollment.end_state
  if (state) return { enrollment, position, state }
  throw new Fault(
    'conflict',
    'enrollment_state',
    'This enrollment was changed in the meantime. Read it and decide again. Nothing was changed.',
  )
}
