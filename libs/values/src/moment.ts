import { timestampDate, timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { isDay } from './calendar-date.ts'

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Whether a text is a date-time of RFC 3339 with an offset: a valid date, within the years 1 to 9999 of UTC. `t` and `z` may
 * be lower case. Leap seconds are invalid, because PostgreSQL and JavaScript cannot store them.
 */
export function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text)
  if (!parts) return false
  const year = Number(parts[1])
  if (!isDay(year, Number(parts[2]), Number(parts[3]))) return false
  if (Number(parts[4]) > 23 || Number(parts[5]) > 59 || Number(parts[6]) > 59) return false
  if (parts[7] !== undefined && (Number(parts[7]) > 23 || Number(parts[8]) > 59)) return false
  // An offset moves a time by less than a day. Only in the first and the last year it can leave the range.
  if (year > 1 && year < 9999) return true
  const ms = Date.parse(text.toUpperCase())
  return ms >= firstMs && ms <= lastMs
}

/** A text of isDateTime as a protobuf timestamp, with its nanoseconds; undefined for any other text. */
export function parseMoment(text: string): Pick<Timestamp, 'seconds' | 'nanos'> | undefined {
  if (!isDateTime(text)) return undefined
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? ''
  return {
    seconds: BigInt(Math.floor(Date.parse(text.toUpperCase()) / 1000)),
    nanos: Number(fraction.padEnd(9, '0')),
  }
}

/** A time of the database as a protobuf timestamp; undefined for null. */
export function moment(at: string | Date): Timestamp
export function moment(at: string | Date | null | undefined): Timestamp | undefined
export function moment(at: string | Date | null | undefined): Timestamp | undefined {
  return at == null ? undefined : timestampFromDate(new Date(at))
}

/** A timestamp of a request, in milliseconds; null when unset. */
export const dateOf = (at: Timestamp | undefined): Date | null => (at === undefined ? null : timestampDate(at))
