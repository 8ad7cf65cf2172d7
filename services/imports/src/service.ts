import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { contexts, openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { operations } from './operations/index.ts'

/** Wires the service and answers once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort?: number; healthPort: number }> {
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'imports', entities: [] }))
  const bus = await service.use(openBus(service, config))
  const ctx = contexts(db, service, { config })
  await service.use(relayOutbox(service, db, bus))

  if (config.role === 'worker') return { healthPort: (await service.use(serveHealth(service, config.healthPort))).port }
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: Imports,
      operations,
      ctxOf: ctx.ofCall,
      beside: deadLetters(service, db),
    }),
  )
  const health = await service.use(serveHealth(service, config.healthPort))
  return { rpcPort: rpc.port, healthPort: health.port }
}
