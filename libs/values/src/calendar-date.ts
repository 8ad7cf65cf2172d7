const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

/** A valid date as `YYYY-MM-DD` (full-date of RFC 3339), from year 1 to 9999. */
export function isCalendarDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (!parts) return false
  return isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))
}

/** Whether a year has this day, from year 1. */
export const isDay = (year: number, month: number, day: number): boolean =>
  year >= 1 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= (month === 2 && !isLeap(year) ? 28 : monthDays[month - 1]!)
