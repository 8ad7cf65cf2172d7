import { column, columns, type RowOf } from '@lettergate/database'
import { EnrollmentPosition } from '../enrollments/enrollment-position.entity.ts'
import { Enrollment } from '../enrollments/enrollment.entity.ts'

/** What a worker needs of an enrollment to do its step. */
export const personColumns = {
  ...columns(
    EnrollmentPosition,
    'enrollment_id',
    'automation_id',
    'contact_id',
    'node_key',
    'step_id',
    'step_number',
    'wait_until',
    'arrived_at',
    'waiting_reason',
    'failed_attempts',
  ),
  ...columns(Enrollment, 'version_id', 'audience_id', 'synthetic_context_id', 'correlation_id', 'trace'),
  is_published: column.boolean(),
}

/** An enrolled contact whose step a worker does. */
export type EnrolledContact = RowOf<typeof personColumns>

/** The ids by which other services know the step of this contact. */
export const stepIdsOf = (person: EnrolledContact) => ({
  stepId: person.step_id,
  enrollmentId: person.enrollment_id,
  automationId: person.automation_id,
  contactId: person.contact_id,
})
