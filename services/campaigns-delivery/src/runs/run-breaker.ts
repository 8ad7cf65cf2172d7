/** People of a run of whom the provider said where their message ended, and what some of them thought of it. */
export interface SettledCounts {
  settled: number
  complained: number
  hard_bounced: number
}

/** Percentages that a run may not exceed, once at least this many have settled. */
export interface BreakerLimits {
  complaintRate: number
  hardBounceRate: number
  settledMin: number
}

/** The arithmetic of a pause: count of settled is more than limit per cent. */
export interface PausedBy {
  rule: 'complaint_rate' | 'hard_bounce_rate'
  settled: number
  count: number
  rate: number
  limit: number
}

/**
 * Whether a run has to pause itself, and why; undefined while it is in order. Only what came after `from` counts: a person who
 * lets a paused run go on answers for the numbers of its pause, and new ones have to be as bad, and as many, to pause it again.
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

/** Two decimals, or as many as it takes to be more than the limit: 1 of 333 is 0.3003, since 0.3 is not more than 0.3. */
function rateOver(limit: number, exact: number): number {
  for (let decimals = 2; decimals < 10; decimals++) {
    const shown = Number(exact.toFixed(decimals))
    if (shown > limit) return shown
  }
  return exact
}
