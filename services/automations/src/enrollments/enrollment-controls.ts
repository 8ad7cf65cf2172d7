import type { EnrollmentState } from './enrollment-state.ts'

/** What a user can do to an enrollment. */
export type EnrollmentAction = 'pause' | 'resume' | 'cancel' | 'replay'

const allowed: Record<EnrollmentAction, { from: readonly EnrollmentState[]; done: DoneToEnrollment }> = {
  pause: { from: ['active', 'waiting'], done: 'paused' },
  resume: { from: ['paused'], done: 'resumed' },
  cancel: { from: ['active', 'waiting', 'paused', 'failed'], done: 'cancelled' },
  replay: { from: ['failed'], done: 'replayed' },
}

/** The event of an action in the timeline. */
export type DoneToEnrollment = 'paused' | 'resumed' | 'cancelled' | 'replayed'

export const enrollmentActions = Object.keys(allowed) as EnrollmentAction[]

export const eventOf = (action: EnrollmentAction): DoneToEnrollment => allowed[action].done

export const fitsState = (action: EnrollmentAction, state: EnrollmentState): boolean =>
  allowed[action].from.includes(state)

/** The message for the caller when an action does not fit. */
export const refusalMessage = (action: EnrollmentAction, state: EnrollmentState): string =>
  `Only an enrollment that is ${allowed[action].from.join(' or ')} can be ${allowed[action].done}, and this one is ${state}. Nothing was changed.`
