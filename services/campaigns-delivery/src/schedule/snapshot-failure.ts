import { Fault, type FaultCode } from '@lettergate/fault'
import { retryInMs } from '@lettergate/service/item-retry'

/** What the caller of a snapshot that failed is told; null when it is our mistake and nobody's business. */
export interface SnapshotFailure {
  code: FaultCode | 'internal'
  reason: string
  message: string
}

/** How often a snapshot is begun, restarts of workers not counted: for about eight minutes. */
export const attemptsMax = 10

/** What follows a failed attempt (1 is the first): what was refused or is a mistake of ours fails at once, an outage is waited for. */
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

/** What a caller that waited hears: the Fault as it was thrown, or an error that is logged and shown as an internal one. */
export const errorOf = ({ code, reason, message }: SnapshotFailure): Error =>
  code === 'internal'
    ? new Error('the snapshot failed; why is in the log of the worker')
    : new Fault(code, reason, message)
