import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, openBus, relayOutbox } from '@lettergate/events'
import { serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { onMessageAccepted } from './consumers/on-message-accepted.ts'
import { onMessageSettled } from './consumers/on-message-settled.ts'
import { onWorkspaceChanged } from './consumers/on-workspace-changed.ts'
import type { Deps } from './ctx.ts'
import { entities } from './db/entities.ts'
import { openJudge } from './db/eligibility.ts'
import { openContactWriter } from './db/upsert-contacts.ts'
import { contactsMetrics } from './metrics.ts'
import { operations } from './operations/index.ts'

/** Wires the service and returns once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config) {
  const { databaseUrl, databasePoolMax, natsUrl, natsNamespace } = config
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(
    openDatabase(service, { url: databaseUrl, schema: 'contacts', entities, poolMax: databasePoolMax }),
  )
  const bus = await service.use(openBus(service, { url: natsUrl, namespace: natsNamespace }))
  const contactWriter = await service.use(openContactWriter())
  const judge = await service.use(openJudge())
  const ctx = contexts<Deps>(db, service, { config, counted: contactsMetrics(service), contactWriter, judge })

  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: onWorkspaceChanged, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageAccepted, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageSettled, ctxOf: ctx.ofEvent }))
  const rpc = await service.use(
    serveRpc(service, { port: config.rpcPort, rpc: ContactsConsent, operations, ctxOf: ctx.ofCall }),
  )
  return { rpcPort: rpc.port, healthPort: health.port }
}
