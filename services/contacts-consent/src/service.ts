import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, openBus, relayOutbox } from '@lettergate/events'
import { serveRpc } from '@lettergate/rpc'
import { repeat, serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { openContactWriter } from './contacts/write-contacts.ts'
import { onMessageAccepted } from './consumers/on-message-accepted.ts'
import { onMessageSettled } from './consumers/on-message-settled.ts'
import { onWorkspaceChanged } from './consumers/on-workspace-changed.ts'
import type { Deps } from './ctx.ts'
import { entities } from './db/entities.ts'
import { openJudge } from './db/eligibility.ts'
import { checkConsentRecord } from './jobs/check-consent-record.ts'
import { finishTagChanges } from './jobs/finish-tag-changes.ts'
import { sealConsentRecord } from './jobs/seal-consent-record.ts'
import { contactsMetrics } from './metrics.ts'
import { operations } from './operations/index.ts'
import { openEventIngester } from './sources/ingest-events.ts'

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
  const eventIngester = await service.use(openEventIngester())
  const deps: Deps = {
    config,
    counted: contactsMetrics(service),
    contactWriter,
    judge,
    eventIngester,
    acrossWorkspaces: (job) => ctx.ofSystem(job),
  }
  const ctx = contexts<Deps>(db, service, deps)

  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: onWorkspaceChanged, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageAccepted, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageSettled, ctxOf: ctx.ofEvent }))
  const seal = ctx.ofSystem('seal-consent-record')
  await service.use(repeat(service, 'seal-consent-record', 1_000, () => sealConsentRecord(seal)))
  const check = ctx.ofSystem('check-consent-record')
  await service.use(
    repeat(service, 'check-consent-record', config.consentCheckEveryMs, () => checkConsentRecord(check)),
  )
  const tagChanges = ctx.ofSystem('finish-tag-changes')
  await service.use(repeat(service, 'finish-tag-changes', 5_000, async () => void (await finishTagChanges(tagChanges))))
  const rpc = await service.use(
    serveRpc(service, { port: config.rpcPort, rpc: ContactsConsent, operations, ctxOf: ctx.ofCall }),
  )
  return { rpcPort: rpc.port, healthPort: health.port }
}
