/** Why a connection, or one of its domains, is in cooldown. */
export type HoldReason = 'rate_limited' | 'unreachable' | 'ambiguous' | 'credential_refused' | 'domain_refused'

const firstMs: Record<HoldReason, number> = {
  rate_limited: 1_000,
  unreachable: 1_000,
  ambiguous: 2_000,
  credential_refused: 60_000,
  domain_refused: 60_000,
}
const longestMs: Record<HoldReason, number> = {
  rate_limited: 60_000,
  unreachable: 60_000,
  ambiguous: 120_000,
  credential_refused: 900_000,
  domain_refused: 900_000,
}

/**
 * Returns how long a connection or domain stays in cooldown after its nth consecutive failure (the first is 1), in
 * milliseconds. The result is never shorter than the provider asked for.
 */
export function cooldownMs(reason: HoldReason, failures: number, retryAfterMs = 0): number {
  const own = Math.min(longestMs[reason], firstMs[reason] * 2 ** Math.min(failures - 1, 20))
  return Math.max(own, retryAfterMs)
}

/**
 * How long every call on a connection carries one recipient after an ambiguous answer. Another ambiguous answer then affects
 * one message, not a batch.
 */
export const singlesMs = 60_000

/** Minutes after the intent of an unknown hand-off at which the provider is asked for its result. */
export const lookupMinutes = [1, 5, 15, 45] as const

/**
 * An unknown hand-off that is older and has lookups left raises an alert. The alert is repeated at the second interval, and ends
 * by itself when it was not repeated for the third.
 */
export const lookupAlertMinutes = 60
export const lookupAlertRepeatMinutes = 15
export const lookupAlertLastsMinutes = 35

/** A connection cooldown longer than this raises an alert. The alert is repeated at the second interval. */
export const cooldownAlertMinutes = 15
export const cooldownAlertRepeatMinutes = 360
