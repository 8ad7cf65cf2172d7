import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { serveRpc } from '@lettergate/rpc'
import { repeat, serveHealth, type Service } from '@lettergate/service'
import { oneByOne } from '@lettergate/service/one-by-one'
import type { Config } from './config.ts'
import { openContactWriter } from './contacts/write-contacts.ts'
import { onMessageAccepted } from './audiences/on-message-accepted.ts'
import { onMessageSettled } from './consent/on-message-settled.ts'
import { onPersonalDataErased } from './erasure/on-personal-data-erased.ts'
import { onWorkspaceChanged } from './workspaces/on-workspace-changed.ts'
import { keepMemberDays } from './audiences/keep-member-days.ts'
import type { Deps } from './ctx.ts'
import { entities } from './entities.ts'
import { openVerdictBatch } from './eligibility/eligibility.ts'
import { connectionsForExports, openStreamSlots } from './eligibility/audience-stream-limit.ts'
import { stepReceiptPurge } from './automations/purge-step-receipts.ts'
import { announceErasures } from './erasure/announce-erasures.ts'
import { checkConsentRecord } from './consent-record/check-consent-record.ts'
import { provenancePurge } from './contacts/purge-provenance.ts'
import { sealConsentRecord } from './consent-record/seal-consent-record.ts'
import { purgeImportRows } from './imports/purge-import-rows.ts'
import { requireHashKeys } from './erasure/require-hash-keys.ts'
import { contactsMetrics } from './metrics.ts'
import { operations } from './operations.ts'
import { openEventIngester } from './sources/ingest-events.ts'

/** Wires the service and returns once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config) {
  const { databaseUrl, databasePoolMax, databaseLongPoolMax } = config
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(
    openDatabase(service, {
      url: databaseUrl,
      schema: 'contacts',
      entities,
      poolMax: databasePoolMax,
      longPoolMax: databaseLongPoolMax,
    }),
  )
  const bus = await service.use(openBus(service, config))
  const contactWriter = await service.use(openContactWriter(config))
  const verdictBatch = await service.use(openVerdictBatch())
  const eventIngester = await service.use(openEventIngester(config))
  const deps: Deps = {
    config,
    metrics: contactsMetrics(service),
    contactWriter,
    verdictBatch,
    eventIngester,
    audienceStreams: openStreamSlots(databaseLongPoolMax - connectionsForExports),
    acrossWorkspaces: (job) => ctx.ofSystem(job),
    sealSoon: () => sealing.wakeWithin(1_000),
  }
  const ctx = contexts<Deps>(db, service, deps)
  await requireHashKeys(ctx.ofSystem('require-hash-keys'))

  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: onWorkspaceChanged, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageAccepted, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onMessageSettled, ctxOf: ctx.ofEvent }))
  const seal = ctx.ofSystem('seal-consent-record')
  // Events of another process that ended before it sealed them are sealed at the next interval.
  const sealing = await service.use(repeat(service, 'seal-consent-record', 5_000, () => sealConsentRecord(seal)))
  db.onPublished(() => sealing.wakeWithin(1_000))
  const check = ctx.ofSystem('check-consent-record')
  await service.use(
    repeat(service, 'check-consent-record', config.consentCheckEveryMs, () => checkConsentRecord(check)),
  )
  await service.use(repeat(service, 'purge-provenance', 600_000, provenancePurge(ctx.ofSystem('purge-provenance'))))
  const ledger = ctx.ofSystem('purge-import-rows')
  await service.use(repeat(service, 'purge-import-rows', 3_600_000, () => purgeImportRows(ledger)))
  const receipts = ctx.ofSystem('purge-automation-steps')
  await service.use(repeat(service, 'purge-automation-steps', 600_000, stepReceiptPurge(receipts)))
  await service.use(consume(service, { bus, db, consumer: onPersonalDataErased, ctxOf: ctx.ofEvent }))
  const days = ctx.ofSystem('keep-member-days')
  await service.use(repeat(service, 'keep-member-days', 600_000, () => keepMemberDays(days)))
  const erasures = ctx.ofSystem('announce-erasures')
  const announced = oneByOne(service, 'announce-erasures')
  await service.use(repeat(service, 'announce-erasures', 60_000, () => announceErasures(erasures, announced)))
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: ContactsConsent,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  return { rpcPort: rpc.port, healthPort: health.port }
}
