import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { entities } from './entities.ts'
import { openContexts } from './open-contexts.ts'
import { operations } from './operations.ts'
import { startWorkerRole } from './start-worker-role.ts'

/** Wires the service and answers once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort?: number; healthPort: number }> {
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'automations', entities }))
  const bus = await service.use(openBus(service, config))
  const ctx = await openContexts(service, config, { db, bus })
  await service.use(relayOutbox(service, db, bus))

  if (config.role === 'worker') {
    await startWorkerRole(service, { db, bus, ctx })
    return { healthPort: health.port }
  }
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: Automations,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  return { rpcPort: rpc.port, healthPort: health.port }
}
