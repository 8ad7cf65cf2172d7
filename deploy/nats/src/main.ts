// Creates and maintains the streams: the only process that has the right to.
import { keepStreams, openBus } from '@lettergate/events'
import { run, serveHealth } from '@lettergate/service'
import { loadConfig } from './config.ts'
import { streamKeeper } from './users.ts'

await run(
  streamKeeper,
  async (service, config) => {
    const health = await service.use(serveHealth(service, config.healthPort))
    const bus = await service.use(openBus(service, config))
    await service.use(keepStreams(service, bus, config.streamReplicas))
    return { healthPort: health.port }
  },
  loadConfig,
)
