/** Recipients of a run with a final provider event, and how many of them complained or bounced. */
export interface SettledCounts {
  settled: number
  complained: number
  hard_bounced: number
}

/** Recipients of one batch who were tried one at a time, and how many of them the provider refused. */
export interface RefusedCounts {
  batch: number
  tried: number
  refused: number
}

/** The numbers from which a run is judged. */
export type JudgedFrom = SettledCounts & { refusals?: RefusedCounts }

/** Limits in percent. They apply once this many recipients have settled. */
export interface BreakerLimits {
  complaintRate: number
  hardBounceRate: number
  settledMin: number
}

/** Why a run was paused: `count` of `settled` recipients is more than `limit` percent. */
export interface PausedBy {
  rule: 'complaint_rate' | 'hard_bounce_rate' | 'refused_rate'
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

/** A single call that the provider refuses fails its recipient for good, so a refused batch may not go on to its end. */
const refusedLimit = { triedMin: 20, rate: 95 }

/**
 * Returns why a run must pause itself: the provider refuses almost every recipient of a batch, so the cause is the message, the
 * sender or the account, and not a recipient. Recipients who were tried before a person resumed the run do not count.
 */
export function judgeRefusals(now: RefusedCounts, from: RefusedCounts | undefined): PausedBy | undefined {
  const before = from?.batch === now.batch ? from : { tried: 0, refused: 0 }
  const [settled, count] = [now.tried - before.tried, now.refused - before.refused]
  const { triedMin, rate: limit } = refusedLimit
  if (settled < triedMin || count * 100 <= limit * settled) return undefined
  return { rule: 'refused_rate', settled, count, rate: rateOver(limit, (count * 100) / settled), limit }
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
