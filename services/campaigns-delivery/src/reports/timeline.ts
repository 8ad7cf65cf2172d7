import { Fault } from '@lettergate/fault'

export type Bucket = 'minute' | 'hour'

const minutesForMs = 24 * 3_600_000

/**
 * The time unit of the timeline: as requested, otherwise minutes in the first day of the run and hours afterwards. Fault
 * `invalid_argument` names bucket.
 */
export function bucketFor(asked: string | undefined, startedAt: Date | null, now: Date): Bucket {
  if (asked === 'minute' || asked === 'hour') return asked
  if (asked !== undefined) throw new Fault('invalid_argument', 'bucket', 'bucket must be minute or hour.')
  return startedAt !== null && now.getTime() - startedAt.getTime() > minutesForMs ? 'hour' : 'minute'
}
