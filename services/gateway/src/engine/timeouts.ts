import type { Plan } from './plan.ts'

const timeoutMsOf = { operator: 5_000, slow: 30_000, longest: 120_000 } as const

/** How long the owning service may take: longer where it asks the outside world. */
export function timeoutMsFor(plan: Plan): number {
  if (plan.safetyClass === 'production path') return timeoutMsOf.longest
  return plan.safetyClass === 'database-only' ? timeoutMsOf.operator : timeoutMsOf.slow
}
