import { isDateTime } from '@lettergate/values/moment'

const parts =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(?: ?(Z|z|UTC|[+-]\d\d(?::?\d\d)?)(?: (?:[A-Z]{2,5}|[+-]\d{2,4}))?)?)?$/

/**
 * The time of a cell as a date-time of RFC 3339; empty for an empty cell, undefined for another text. Besides RFC 3339 it reads
 * `2026-03-31`, `2026-03-31 09:00` and `2026-03-31 09:00:00`, with or without an offset. Without one they are UTC. The
 * name of a zone may follow an offset, as Go writes times.
 */
export function readCapturedAt(cell: string): string | undefined {
  const text = cell.trim()
  if (text === '' || isDateTime(text)) return text
  const found = parts.exec(text)
  if (!found) return undefined
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = found
  const dateTime = `${date}T${time}${seconds}${offsetOf(zone)}`
  return isDateTime(dateTime) ? dateTime : undefined
}

function offsetOf(zone: string): string {
  if (/^[zZU]/.test(zone)) return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`
}
