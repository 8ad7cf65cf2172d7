import { Registry, type OpenMetricsContentType } from 'prom-client'

/** A registry in the format of OpenMetrics, which can have exemplars. Its type is that of the other format, which `Registry` means. */
export function openRegistry(): Registry {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry as unknown as Registry
}
