import type { EnrollmentEnd } from '../enrollments/enrollment-state.ts'

/** A step that is done. */
export interface FinishedStep {
  readonly nodeType: string
  readonly outcome: string
  readonly reasons?: readonly string[]
  readonly branch?: string
  readonly messageId?: string
  /** under which the message was handed over */
  readonly audienceId?: string
}

/** What became of a step. */
export type StepResult =
  /** on to the next node; to null, the enrollment is completed */
  | { readonly kind: 'moved'; readonly step: FinishedStep; readonly to: string | null }
  /** the contact waits at this node */
  | { readonly kind: 'waits'; readonly until: Date }
  /** to be asked again with the same step id */
  | {
      readonly kind: 'later'
      readonly at: Date
      readonly reason: string | null
      /** what is recorded if the enrollment was cancelled meanwhile: an email that may have been sent */
      readonly ifCancelled?: FinishedStep
    }
  | {
      readonly kind: 'ended'
      readonly end: Exclude<EnrollmentEnd, 'completed'>
      readonly reason: string
      readonly step?: FinishedStep
    }
