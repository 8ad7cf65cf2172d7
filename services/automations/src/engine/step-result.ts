import type { EnrollmentEnd } from '../enrollments/enrollment-state.ts'
import type { FinishedStep } from '../enrollments/insert-steps.ts'

/** What became of a step. */
export type StepResult =
  /** on to the next node; to null, the enrollment is completed */
  | { readonly kind: 'moved'; readonly step: FinishedStep; readonly to: string | null }
  /** the contact waits at this node */
  | { readonly kind: 'waits'; readonly until: Date }
  /** nothing was done, because the gate is closed or the worker stops; due at this time */
  | { readonly kind: 'not_begun'; readonly at: Date }
  /** to be asked again with the same step id; `hasFailed`: the call for this contact alone broke */
  | { readonly kind: 'later'; readonly at: Date; readonly reason: string | null; readonly hasFailed?: boolean }
  | {
      readonly kind: 'ended'
      readonly end: Exclude<EnrollmentEnd, 'completed'>
      readonly reason: string
      readonly step?: FinishedStep
    }
