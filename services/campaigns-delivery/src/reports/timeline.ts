import { Fault } from '@lettergate/fault'

export type Bucket = 'minute' | 'hour'

const minutesForMs = 24 * 3_600_000

/** How finely a run is plotted: as asked, else by the minute in its first day and by the hour after. Fault names bucket. */
export function bucketFor(asked: string | undefined, startedAt: Date | null, now: Date): Bucket {
  if (asked === 'minute' || asked === 'hour') return asked
  if (asked !== undefined) throw new Fault('invalid_argument', 'bucket', 'bucket must be minute or hour.')
  return startedAt !== null && now.getTime() - startedAt.getTime() > minutesForMs ? 'hour' : 'minute'
}
