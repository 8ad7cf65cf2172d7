/** Unused rate is kept for at most this long, so that an idle connection does not build up a burst. */
export const creditMs = 1_000

/** Whether messages may be sent now and until when the rate is used up afterwards, or how many milliseconds to wait. */
export type PaceDecision = { kind: 'go'; aheadMs: number } | { kind: 'wait'; ms: number }

/**
 * The generic cell rate algorithm (ITU-T I.371), one call at a time. A call may go when earlier calls are paid for; each
 * message costs 1/`perSecond` seconds. In any time `t` at most `perSecond * (t + 1 s)` messages go, plus those of one call.
 */
export function pace(aheadMs: number, messages: number, perSecond: number): PaceDecision {
  if (aheadMs > 0) return { kind: 'wait', ms: aheadMs }
  return { kind: 'go', aheadMs: Math.max(aheadMs, -creditMs) + (messages * 1_000) / perSecond }
}
