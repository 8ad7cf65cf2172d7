import type { Bench } from './bench.ts'

/** Where a request comes in: through the local edge, as everybody's do, or at the service behind it, without the edge's share. */
export const waysTo = (
  { stack }: Pick<Bench, 'stack'>,
  service: 'gateway' | 'webhook-intake',
): { where: string; origin: string }[] => [
  { where: 'through the edge', origin: stack.base_url },
  { where: `at ${service}`, origin: `http://127.0.0.1:${stack.ports[`${service}.http`]}` },
]
