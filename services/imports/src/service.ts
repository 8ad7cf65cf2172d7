import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { contexts, openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { wakeWorkers } from '@lettergate/events/wake-workers'
import { connect, serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import type { Deps } from './ctx.ts'
import { entities } from './entities.ts'
import { openImportMetrics } from './metrics.ts'
import { operations } from './operations.ts'
import { startWorkerRole } from './start-worker-role.ts'

/** Wires the service and answers once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort?: number; healthPort: number }> {
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'imports', entities }))
  const bus = await service.use(openBus(service, config))
  const ctx = contexts<Deps>(db, service, {
    config,
    metrics: openImportMetrics(service),
    contacts: await service.use(connect(service, config.contactsTarget, ContactsConsent)),
    identity: await service.use(connect(service, config.identityTarget, Identity)),
    sending: await service.use(connect(service, config.sendingTarget, SendingInfra)),
    wakeWorkers: () => wakeWorkers(bus, service.name),
  })
  await service.use(relayOutbox(service, db, bus))

  if (config.role === 'worker') {
    await startWorkerRole(service, { bus, ctx })
    return { healthPort: health.port }
  }
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: Imports,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  return { rpcPort: rpc.port, healthPort: health.port }
}
