import { LRUCache } from 'lru-cache'

const dayMs = 86_400_000
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 })
/** A contact asks for its dates again each time it comes round a cycle. */
const starts = new LRUCache<string, number>({ max: 5_000 })

/**
 * The first instant of a date (`YYYY-MM-DD`) in a time zone, or in UTC without a known time zone. Where the clock is changed at
 * midnight, that is the first moment at which the local date is this one or a later one.
 */
export function startOfDay(date: string, timezone: string | undefined): Date {
  const inUtc = Date.parse(`${date}T00:00:00Z`)
  const format = formatOf(timezone)
  if (!format) return new Date(inUtc)
  const asked = `${date} ${timezone}`
  const known = starts.get(asked)
  if (known !== undefined) return new Date(known)
  // Every zone is within a day of UTC, so the first instant is between these two.
  let before = inUtc - dayMs
  let reached = inUtc + dayMs
  while (reached - before > 1) {
    const middle = before + Math.floor((reached - before) / 2)
    if (localDate(format, middle) >= date) reached = middle
    else before = middle
  }
  starts.set(asked, reached)
  return new Date(reached)
}

function formatOf(timezone: string | undefined): Intl.DateTimeFormat | undefined {
  if (timezone === undefined || timezone === '') return undefined
  const known = formats.get(timezone)
  if (known) return known
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    formats.set(timezone, format)
    return format
  } catch {
    return undefined // the time zone of a contact is free text
  }
}

function localDate(format: Intl.DateTimeFormat, at: number): string {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return `${parts.get('year')!.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}
