import { serveHealth, type Part, type Service } from '@lettergate/service'
import { AggregatorRegistry, Registry } from 'prom-client'

/** Serves the readiness and the metrics of all targets at one port, beside those of each. */
export function healthOfAll(services: readonly Service[], port: number): Promise<Part & { port: number }> {
  const [first] = services
  const labelOf = ({ name, role }: Service) => `${name} ${role}`
  return serveHealth(
    {
      name: 'lettergate',
      role: services.map(labelOf).join(', '),
      log: first!.log,
      httpBindAddress: first!.httpBindAddress,
      get checks() {
        const checks = services.flatMap((service) =>
          [...service.checks].map(([name, check]) => [`${labelOf(service)}: ${name}`, check] as const),
        )
        return new Map(checks)
      },
      metrics: {
        // The aggregation has no exemplars, and would name counters wrongly in the format of OpenMetrics.
        contentType: Registry.PROMETHEUS_CONTENT_TYPE,
        async metrics() {
          const all = await Promise.all(services.map(({ metrics }) => metrics.getMetricsAsJSON()))
          return AggregatorRegistry.aggregate(all).metrics()
        },
      },
    },
    port,
  )
}
