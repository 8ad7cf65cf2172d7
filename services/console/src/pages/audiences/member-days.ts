import type { AudienceMemberDay } from '@lettergate/client/console'
import { counted } from '../../parts/words.ts'

/** A day with the difference to the stored day before it; null for the first. */
export interface DayOfMembers {
  day: string
  members: number
  change: number | null
}

/** The days, newest first, each with its change. */
export const withChanges = (days: readonly AudienceMemberDay[]): DayOfMembers[] =>
  days
    .map(({ day, active_member_count: members }, index) => ({
      day,
      members,
      change: index === 0 ? null : members - days[index - 1]!.active_member_count,
    }))
    .toReversed()

/** `+3`, `−2` or `0`. */
export const signed = (change: number): string =>
  `${change > 0 ? '+' : change < 0 ? '−' : ''}${Math.abs(change).toLocaleString('en')}`

const dayMs = 86_400_000
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

/** How the number changed in 30 days, or since the first stored day. */
export function trendInWords(days: readonly AudienceMemberDay[]): string {
  const last = days.at(-1)
  const first = days[0]
  if (!last || !first || first === last) return 'Members are counted every day from now on. Tomorrow this shows a line.'
  const before = days.findLast(({ day }) => daysBetween(day, last.day) >= 30) ?? first
  const change = last.active_member_count - before.active_member_count
  const since = counted(daysBetween(before.day, last.day), 'day')
  if (change === 0) return `As many as ${since} ago.`
  return `${Math.abs(change).toLocaleString('en')} ${change > 0 ? 'more' : 'fewer'} than ${since} ago.`
}

/** The days as the values of a line. */
export const valuesOf = (days: readonly AudienceMemberDay[]) =>
  days.map(({ day, active_member_count: value }) => ({ at: daysBetween(days[0]!.day, day), value }))
