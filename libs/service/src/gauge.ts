import { Gauge } from 'prom-client'
import type { Service } from './lifecycle.ts'

/** Registers a gauge that is read for each scrape. When reading fails it has no value, because 0 would look healthy. */
export function gauge(
  service: Service,
  { name, help, read }: { name: string; help: string; read: () => Promise<number> },
): void {
  new Gauge({
    name,
    help,
    registers: [service.metrics],
    async collect() {
      try {
        this.set(await read())
      } catch (error) {
        this.remove()
        service.log.warn({ err: error, metric: name }, 'a gauge cannot be read and is left out')
      }
    },
  })
}
