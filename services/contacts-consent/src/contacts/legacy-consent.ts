import type { JsonObject } from '@bufbuild/protobuf'
import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isDateTime } from '@lettergate/values/moment'

export type LegacyConsentGrade = 'documented' | 'partial' | 'undocumented'

/** Whether a change resolves the doubt about the consent of a legacy contact. null means not a legacy contact. */
export const isDoubtResolved = (earlier: LegacyConsentGrade | null, now: LegacyConsentGrade | null): boolean =>
  earlier !== null && earlier !== now && (now === null || now === 'documented')

/** A date can begin somewhere on Earth up to a day earlier than in UTC. */
const aheadMsMax = 86_400_000
const hasBegun = (at: string, now: Date) => Date.parse(at) <= now.getTime() + aheadMsMax

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/**
 * How well old consent is documented. `documented` has the date, the source and the wording; `partial` has some of them. Blank
 * values, invalid dates and future dates do not count.
 */
export function gradeLegacyConsent(evidence: JsonObject | undefined, now: Date): LegacyConsentGrade {
  if (!evidence) return 'undocumented'
  const { captured_at: capturedAt, source, wording } = evidence
  const isDated =
    isText(capturedAt) && (isCalendarDate(capturedAt) || isDateTime(capturedAt)) && hasBegun(capturedAt, now)
  const named = [isDated, isText(source), isText(wording)].filter(Boolean).length
  if (named === 3) return 'documented'
  return named > 0 ? 'partial' : 'undocumented'
}
