import type { RunState } from './run-states.ts'

/** What a user can do to a run. */
export type RunAction = 'pause' | 'resume' | 'cancel' | 'unschedule'

/** The part of a run that decides which actions fit. */
export interface ControlledRun {
  state: RunState
  /** its scheduled time has passed */
  isDue: boolean
  /** it was in `sending` before */
  hasStarted: boolean
  /** it sends unknown messages again, so its campaign cannot become a draft */
  isResend?: boolean
}

const allowed: Record<RunAction, { from: readonly RunState[]; done: string }> = {
  pause: { from: ['scheduled', 'sending'], done: 'paused' },
  resume: { from: ['paused'], done: 'resumed' },
  cancel: { from: ['scheduled', 'sending', 'paused'], done: 'cancelled' },
  unschedule: { from: ['scheduled'], done: 'unscheduled' },
}

/** Returns the state after an action, or undefined when the action does not fit the run. */
export function nextState(
  action: RunAction,
  { state, isDue, hasStarted, isResend }: ControlledRun,
): RunState | undefined {
  if (!allowed[action].from.includes(state)) return undefined
  if (action === 'pause') return 'paused'
  if (action === 'cancel') return 'cancelled'
  if (action === 'unschedule') return isResend ? undefined : 'unscheduled'
  return hasStarted || isDue ? 'sending' : 'scheduled'
}

/** The message for the caller when an action does not fit. */
export const refusalMessage = (
  action: RunAction,
  { state, isResend }: Pick<ControlledRun, 'state' | 'isResend'>,
): string =>
  action === 'unschedule' && isResend
    ? 'A run that sends unknown messages again cannot be unscheduled, because its campaign is no draft. It can be cancelled. Nothing was changed.'
    : `Only a run that is ${allowed[action].from.join(' or ')} can be ${allowed[action].done}, and this one is ${state}. Nothing was changed.`
