import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { contexts, openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { connect, serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import type { Deps } from './ctx.ts'
import { entities } from './db/entities.ts'
import { schema } from './db/migrations.ts'
import { operations } from './operations/index.ts'
import { openContentThreads } from './preparing/content-threads.ts'
import { openMeasures } from './delivery/measures.ts'
import { startDelivery } from './delivery/start-delivery.ts'
import { startSnapshots } from './snapshot/start-snapshots.ts'
import { openCounted } from './testing/counted.ts'
import { findIn, watchForWork } from './waiting-work.ts'
import { onWorkMade, wakeWorkers } from './wake-workers.ts'

/** Wires the service by its role and returns once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort?: number; healthPort: number }> {
  const health = await service.use(serveHealth(service, config.healthPort))
  const { db, bus, ctx, contentThreads } = await openParts(service, config)
  if (config.role === 'worker') {
    const work = await startWaitingWork(service, { bus, ctx })
    await startDelivery(service, { db, bus, ctx, work })
    await service.use(startSnapshots(service, { ctx, work }))
    return { healthPort: health.port }
  }
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: CampaignsDelivery,
      operations,
      ctxOf: ctx.ofCall,
      beside: deadLetters(service, db),
    }),
  )
  contentThreads.start()
  return { rpcPort: rpc.port, healthPort: health.port }
}

/** What every role stands on: the database, the bus with the relay of its outbox, and contexts that reach the other services. */
export async function openParts(service: Service, config: Config) {
  const { databaseUrl, deliveryConcurrency, databaseLongPoolMax: longPoolMax } = config
  const poolMax = config.role === 'worker' ? deliveryConcurrency * 2 + 8 : 10
  const db = await service.use(
    openDatabase(service, { url: databaseUrl, schema: schema.schema, entities, poolMax, longPoolMax }),
  )
  const bus = await service.use(openBus(service, config))
  const contentThreads = await service.use(openContentThreads(service, config))
  const deps: Deps = {
    config,
    identity: await service.use(connect(service, config.identityTarget, Identity)),
    contacts: await service.use(connect(service, config.contactsTarget, ContactsConsent)),
    sending: await service.use(connect(service, config.sendingTarget, SendingInfra)),
    counted: openCounted(service),
    measures: openMeasures(service),
    contentThreads,
    wakeWorkers: () => wakeWorkers(bus),
  }
  const ctx = contexts<Deps>(db, service, deps)
  await service.use(relayOutbox(service, db, bus))
  return { db, bus, ctx, contentThreads }
}

/** What the jobs of a worker are found by: a look every second, and at once when the api says that there is something. */
export async function startWaitingWork(
  service: Service,
  { bus, ctx }: Pick<Awaited<ReturnType<typeof openParts>>, 'bus' | 'ctx'>,
) {
  const work = await service.use(watchForWork(service, findIn(ctx.ofSystem('look-for-work'))))
  await service.use(onWorkMade(bus, work.look))
  return work
}
