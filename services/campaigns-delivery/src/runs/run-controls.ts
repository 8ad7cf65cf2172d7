import type { RunState } from './run-states.ts'

/** What people do to a run. */
export type RunAction = 'pause' | 'resume' | 'cancel' | 'unschedule'

/** A run as its controls see it. */
export interface ControlledRun {
  state: RunState
  /** its time has come */
  isDue: boolean
  /** it was sending once */
  hasStarted: boolean
  /** it sends unknown messages again, so its campaign was sent and is no draft to go back to */
  isResend?: boolean
}

const allowed: Record<RunAction, { from: readonly RunState[]; done: string }> = {
  pause: { from: ['scheduled', 'sending'], done: 'paused' },
  resume: { from: ['paused'], done: 'resumed' },
  cancel: { from: ['scheduled', 'sending', 'paused'], done: 'cancelled' },
  unschedule: { from: ['scheduled'], done: 'unscheduled' },
}

/** The state that an action leads to, or undefined when it does not fit the run, which then stays as it is. */
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

/** Why an action does not fit, in words for whoever asked for it. */
export const refusalMessage = (
  action: RunAction,
  { state, isResend }: Pick<ControlledRun, 'state' | 'isResend'>,
): string =>
  action === 'unschedule' && isResend
    ? 'A run that sends unknown messages again cannot be unscheduled, because its campaign is no draft. It can be cancelled. Nothing was changed.'
    : `Only a run that is ${allowed[action].from.join(' or ')} can be ${allowed[action].done}, and this one is ${state}. Nothing was changed.`
