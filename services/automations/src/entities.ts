import { AutomationPublication } from './automations/automation-publication.entity.ts'
import { AutomationVersion } from './automations/automation-version.entity.ts'
import { Automation } from './automations/automation.entity.ts'
import { DueEnrollment } from './enrollments/due-enrollment.entity.ts'
import { EnrollmentClaim } from './enrollments/enrollment-claim.entity.ts'
import { EnrollmentEvent } from './enrollments/enrollment-event.entity.ts'
import { EnrollmentPosition } from './enrollments/enrollment-position.entity.ts'
import { EnrollmentStep } from './enrollments/enrollment-step.entity.ts'
import { Enrollment } from './enrollments/enrollment.entity.ts'
import { ErasedContact } from './enrollments/erased-contact.entity.ts'
import { HeldEnrollment } from './enrollments/held-enrollment.entity.ts'
import { NodeCount } from './enrollments/node-count.entity.ts'

/** One entity for each table of the schema. */
export const entities = [
  Automation,
  AutomationVersion,
  AutomationPublication,
  Enrollment,
  EnrollmentPosition,
  EnrollmentStep,
  EnrollmentEvent,
  DueEnrollment,
  HeldEnrollment,
  EnrollmentClaim,
  NodeCount,
  ErasedContact,
]
