import type { Bench } from './bench.ts'

/** The two origins that accept a request: the local edge, and the service behind it, which excludes the cost of the edge. */
export const originsOf = (
  { stack }: Pick<Bench, 'stack'>,
  service: 'gateway' | 'webhook-intake',
): { where: string; origin: string }[] => [
  { where: 'through the edge', origin: stack.base_url },
  { where: `at ${service}`, origin: `http://127.0.0.1:${stack.ports[`${service}.http`]}` },
]
