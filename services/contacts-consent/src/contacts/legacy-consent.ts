import type { JsonObject } from '@bufbuild/protobuf'
import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isDateTime } from '@lettergate/values/moment'

export type LegacyConsentGrade = 'documented' | 'partial' | 'undocumented'

/** Whether a change ends what may have kept a legacy contact from being mailed; null is no legacy contact. */
export const isLifted = (earlier: LegacyConsentGrade | null, now: LegacyConsentGrade | null): boolean =>
  earlier !== null && earlier !== now && (now === null || now === 'documented')

/** Today's date has begun somewhere on Earth up to a day before it does in UTC. */
const aheadMsMax = 86_400_000
const hasBegun = (at: string, now: Date) => Date.parse(at) <= now.getTime() + aheadMsMax

const says = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/**
 * How well old consent is shown: documented names when (a real date), where and under which wording it was given;
 * partial names some of these. Blank values and dates that do not exist or are still to come document nothing.
 */
export function gradeLegacyConsent(evidence: JsonObject | undefined, now: Date): LegacyConsentGrade {
  if (!evidence) return 'undocumented'
  const { captured_at: capturedAt, source, wording } = evidence
  const isDated =
    says(capturedAt) && (isCalendarDate(capturedAt) || isDateTime(capturedAt)) && hasBegun(capturedAt, now)
  const named = [isDated, says(source), says(wording)].filter(Boolean).length
  if (named === 3) return 'documented'
  return named > 0 ? 'partial' : 'undocumented'
}
