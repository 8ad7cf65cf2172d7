import { timestampDate, timestampFromDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { isCalendarDate } from './calendar-date.ts'

const dateTime = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/
const firstMs = Date.parse('0001-01-01T00:00:00Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * date-time of RFC 3339: with an offset, of a date that exists, and a moment within the years 1 to 9999 of UTC. `t` and
 * `z` may be small. A leap second is none: PostgreSQL and JavaScript have no place for it.
 */
export function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text)
  if (!parts || !isCalendarDate(parts[1]!)) return false
  const [hour, minute, second, offsetHour, offsetMinute] = parts.slice(2).map((part) => Number(part ?? 0))
  if (hour! > 23 || minute! > 59 || second! > 59 || offsetHour! > 23 || offsetMinute! > 59) return false
  const ms = Date.parse(text.toUpperCase())
  return ms >= firstMs && ms <= lastMs
}

/** A moment of isDateTime as protobuf has it, down to the nanosecond; undefined for any other text. */
export function parseMoment(text: string): Pick<Timestamp, 'seconds' | 'nanos'> | undefined {
  if (!isDateTime(text)) return undefined
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? ''
  return {
    seconds: BigInt(Math.floor(Date.parse(text.toUpperCase()) / 1000)),
    nanos: Number(fraction.padEnd(9, '0')),
  }
}

/** A time that the database answered, as protobuf has it; undefined for none. */
export function moment(at: string | Date): Timestamp
export function moment(at: string | Date | null | undefined): Timestamp | undefined
export function moment(at: string | Date | null | undefined): Timestamp | undefined {
  return at == null ? undefined : timestampFromDate(new Date(at))
}

/** A time that a request carries, to the millisecond; null for none. */
export const dateOf = (at: Timestamp | undefined): Date | null => (at === undefined ? null : timestampDate(at))
