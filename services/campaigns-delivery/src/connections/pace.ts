/** What was left unused for longer than this is lost, so that a quiet connection does not save up a flood. */
export const creditMs = 1_000

/** Whether messages may go now, and then how far in the future everything that went is paid for; else in how many milliseconds. */
export type PaceDecision = { kind: 'go'; aheadMs: number } | { kind: 'wait'; ms: number }

/**
 * The generic cell rate algorithm (ITU-T I.371), a call at a time: a call may go when what went before is paid for, and its
 * messages are paid for at `perSecond`. Within any time `t` no more go than `perSecond * (t + 1 s)` and the messages of one call.
 */
export function pace(aheadMs: number, messages: number, perSecond: number): PaceDecision {
  if (aheadMs > 0) return { kind: 'wait', ms: aheadMs }
  return { kind: 'go', aheadMs: Math.max(aheadMs, -creditMs) + (messages * 1_000) / perSecond }
}
