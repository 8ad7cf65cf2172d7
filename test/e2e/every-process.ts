import { keepStreams, openBus, type BusConfig } from '@lettergate/events'
import { loadConfig } from '@lettergate/nats/config'
import { streamKeeper } from '@lettergate/nats/users'
import type { Service } from '@lettergate/service'
import { collectProcessMetrics } from '@lettergate/service/process-metrics'
import type { Constellation } from './constellation.ts'

async function startStreams(service: Service, config: BusConfig) {
  const bus = await service.use(openBus(service, config))
  await service.use(keepStreams(service, bus))
  return {}
}

/**
 * A service for each process of an installation, with the metrics that it has as a process of its own. Starts those that a
 * constellation does not have by itself.
 */
export async function everyProcess(all: Constellation): Promise<Service[]> {
  const { stage } = all
  await all.startWorker('imports')
  await all.startWorker('automations')
  await stage.boot(streamKeeper, startStreams, loadConfig)
  const processes = [...new Map(stage.services.map((service) => [`${service.name} ${service.role}`, service])).values()]
  for (const service of processes) collectProcessMetrics(service)
  return processes
}
