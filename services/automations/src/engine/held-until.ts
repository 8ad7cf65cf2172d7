const soonestMs = 10_000
const latestMs = 300_000
/** A step that has waited for this many times as long is asked about again. */
const share = 10

/**
 * When an email that a closed gate or its sender holds is asked for again: after a tenth of the time that its step has waited, at
 * least 10 s and at most 300 s. So a gate that is closed for long costs few calls.
 */
export function heldUntil(arrivedAt: Date, now: Date): Date {
  const waitedMs = now.getTime() - arrivedAt.getTime()
  return new Date(now.getTime() + Math.min(latestMs, Math.max(soonestMs, waitedMs / share)))
}
