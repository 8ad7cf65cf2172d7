import type { Plan } from './plan.ts'

const timeoutMsOf = { operator: 5_000, slow: 30_000, longest: 120_000 } as const

/** The timeout of the owning service: longer for operations that call external systems. */
export function timeoutMsFor(plan: Plan): number {
  if (plan.safetyClass === 'production path') return timeoutMsOf.longest
  return plan.safetyClass === 'database-only' ? timeoutMsOf.operator : timeoutMsOf.slow
}
