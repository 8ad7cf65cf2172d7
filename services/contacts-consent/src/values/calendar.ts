const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|[+-](\d{2}):(\d{2}))$/

/** A day that exists, as `YYYY-MM-DD`, from year 1 on. */
export function isCalendarDate(text: string): boolean {
  const parts = datePattern.exec(text)
  if (!parts) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1) return false
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return day <= days[month - 1]!
}

/** A moment that exists, as RFC 3339 with an offset; `2035-02-30T10:00:00Z` is none. */
export function isDateTime(text: string): boolean {
  const parts = dateTimePattern.exec(text)
  if (!parts || !isCalendarDate(parts[1]!)) return false
  const [hour, minute, second] = [Number(parts[2]), Number(parts[3]), Number(parts[4])]
  const [offsetHour, offsetMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  return hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60
}
