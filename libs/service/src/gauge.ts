import { Gauge } from 'prom-client'
import type { Service } from './lifecycle.ts'

/** Registers a gauge that is read for each scrape. When reading fails it has no value, because 0 would look healthy. */
export function gauge(
  service: Service,
  { read, ...of }: { name: string; help: string; read: () => Promise<number> },
): void {
  labelledGauge(service, { ...of, labelNames: [], read: async () => [{ value: await read() }] })
}

/** The same with one value for each set of labels. A set that is not read any more has no value. */
export function labelledGauge<Label extends string>(
  service: Service,
  options: {
    name: string
    help: string
    labelNames: readonly Label[]
    read: () => Promise<readonly ({ value: number } & Record<Label, string>)[]>
  },
): void {
  const { name, help, labelNames, read } = options
  new Gauge<string>({
    name,
    help,
    labelNames,
    registers: [service.metrics],
    async collect() {
      const values = await read().catch((error: unknown) => {
        service.log.warn({ err: error, metric: name }, 'a gauge cannot be read and is left out')
        return []
      })
      this.reset() // a gauge without labels is 0 now
      if (labelNames.length === 0) this.remove()
      for (const { value, ...labels } of values) this.set(labels, value)
    },
  })
}
