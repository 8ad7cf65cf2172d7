/** Why a connection, or one domain of it, does not take everything right now. */
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

/** How long a connection or domain rests after its nth failure in a row (1 is the first), in milliseconds; never shorter than the provider asked for. */
export function cooldownMs(reason: HoldReason, failures: number, retryAfterMs = 0): number {
  const own = Math.min(longestMs[reason], firstMs[reason] * 2 ** Math.min(failures - 1, 20))
  return Math.max(own, retryAfterMs)
}

/** How long a connection gets single calls after an ambiguous answer: each may then cost one person's certainty, not a batch's. */
export const singlesMs = 60_000

/** Minutes after an ambiguous hand-off at which the provider is asked what became of it. */
export const lookupMinutes = [1, 5, 15, 45] as const

/** A cooldown of a connection that lasts longer than this is told to a person, again after each of the longer spans. */
export const cooldownAlertMinutes = 15
export const cooldownAlertRepeatMinutes = 360
