import { Fault, type FaultCode } from '@lettergate/fault'
import { retryInMs } from '@lettergate/service/item-retry'

/** The Fault that the caller of a failed snapshot gets. `internal` reveals nothing of a bug. */
export interface SnapshotFailure {
  code: FaultCode | 'internal'
  reason: string
  message: string
}

/** How many attempts are made (about eight minutes). Restarts of workers do not count. */
export const attemptsMax = 10

/** Decides what follows a failed attempt (the first is 1). A refusal or a bug fails at once; an outage is retried. */
export function afterFailure(
  error: unknown,
  attempts: number,
): { kind: 'retry'; inMs: number } | { kind: 'refuse' } | { kind: 'give_up' } {
  const isFault = error instanceof Fault
  const isOutage = isFault && (error.code === 'unavailable' || error.code === 'resource_exhausted')
  if (isOutage && attempts < attemptsMax) return { kind: 'retry', inMs: retryInMs(attempts, false) }
  return isFault && !isOutage ? { kind: 'refuse' } : { kind: 'give_up' }
}

export const failureOf = (error: unknown): SnapshotFailure =>
  error instanceof Fault
    ? { code: error.code, reason: error.reason, message: error.message }
    : { code: 'internal', reason: '', message: '' }

/** Converts a stored failure into the error for the caller: the original Fault, or an internal error. */
export const errorOf = ({ code, reason, message }: SnapshotFailure): Error =>
  code === 'internal' ? new Error('the snapshot failed; see the log of the worker') : new Fault(code, reason, message)
