/** Recipients of a run with a final provider event, and how many of them complained or bounced. */
export interface SettledCounts {
  settled: number
  complained: number
  hard_bounced: number
}

/** Limits in percent. They apply once this many recipients have settled. */
export interface BreakerLimits {
  complaintRate: number
  hardBounceRate: number
  settledMin: number
}

/** Why a run was paused: `count` of `settled` recipients is more than `limit` percent. */
export interface PausedBy {
  rule: 'complaint_rate' | 'hard_bounce_rate'
  settled: number
  count: number
  rate: number
  limit: number
}

/**
 * Returns why a run must pause itself, or undefined. Only recipients after `from` are counted: after a person resumes a
 * paused run, its earlier numbers do not pause it again.
 */
export function judgeRun(now: SettledCounts, from: SettledCounts, limits: BreakerLimits): PausedBy | undefined {
  const settled = now.settled - from.settled
  if (settled < Math.max(limits.settledMin, 1)) return undefined
  const rules = [
    { rule: 'complaint_rate', count: now.complained - from.complained, limit: limits.complaintRate },
    { rule: 'hard_bounce_rate', count: now.hard_bounced - from.hard_bounced, limit: limits.hardBounceRate },
  ] as const
  const broken = rules.find(({ count, limit }) => count * 100 > limit * settled)
  return broken && { ...broken, settled, rate: rateOver(broken.limit, (broken.count * 100) / settled) }
}

/**
 * Rounds to two decimals, or to more if needed to show that the limit is exceeded: 1 of 333 is shown as 0.3003, because 0.3
 * is not more than 0.3.
 */
function rateOver(limit: number, exact: number): number {
  for (let decimals = 2; decimals < 10; decimals++) {
    const shown = Number(exact.toFixed(decimals))
    if (shown > limit) return shown
  }
  return exact
}
