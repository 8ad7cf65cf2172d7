import { confirmationOrigin } from './confirmations/confirmation-origin.ts'
import { openConfirmationMetrics } from './confirmations/metrics.ts'
import { automationOrigin } from './automation-emails/automation-origin.ts'
import { openAutomationMetrics } from './automation-emails/metrics.ts'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import { contexts, openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { wakeWorkers } from '@lettergate/events/wake-workers'
import { connect, serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { openContentThreads } from './content/content-threads.ts'
import type { Deps } from './ctx.ts'
import { schema } from './db/migrations.ts'
import { openDeliveryMetrics } from './delivery/metrics.ts'
import { runOrigin } from './delivery/run-origin.ts'
import { entities } from './entities.ts'
import { heardChanges } from './gates/heard-changes.ts'
import { onGateChanged } from './gates/on-gate-changed.ts'
import { operations } from './operations.ts'
import { startWorkerRole } from './start-worker-role.ts'
import { handOffMessages } from './provider/mailgun/mailgun.ts'
import { consumerState } from '@lettergate/events/consumer-state'
import { openTestingMetrics } from './testing/metrics.ts'
import { testSendOrigin } from './testing/test-send-origin.ts'

/**
 * A stopped process keeps the lock of a run no longer than this, so that the run can be paused and cancelled. An intent that
 * takes longer is too late anyway.
 */
const idleTransactionMs = 2_000

/** Starts the parts of the role and returns when the service is ready. Parts stop in reverse order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort?: number; healthPort: number }> {
  const health = await service.use(serveHealth(service, config.healthPort))
  const { db, bus, ctx, contentThreads } = await openParts(service, config)
  if (config.role === 'worker') {
    const { rpcPort } = await startWorkerRole(service, { db, bus, ctx, rpcPort: config.rpcPort })
    return { rpcPort, healthPort: health.port }
  }
  await service.use(onGateChanged(bus, ctx.ofSystem('hear-changes').changes.record))
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: CampaignsDelivery,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  contentThreads.start()
  return { rpcPort: rpc.port, healthPort: health.port }
}

/**
 * Opens what every role needs: the database, the event bus with the outbox relay, and contexts with clients of the other
 * services.
 */
export async function openParts(service: Service, config: Config) {
  const { databaseUrl, deliveryConcurrency, databaseLongPoolMax: longPoolMax } = config
  const poolMax = config.role === 'worker' ? deliveryConcurrency + 8 : 10
  const db = await service.use(
    openDatabase(service, {
      url: databaseUrl,
      schema: schema.schema,
      entities,
      poolMax,
      longPoolMax,
      idleTransactionMs,
    }),
  )
  const bus = await service.use(openBus(service, config))
  const contentThreads = await service.use(openContentThreads(service, config))
  const deps: Deps = {
    config,
    identity: await service.use(connect(service, config.identityTarget, Identity)),
    contacts: await service.use(connect(service, config.contactsTarget, ContactsConsent)),
    sending: await service.use(connect(service, config.sendingTarget, SendingInfra)),
    imports: await service.use(connect(service, config.importsTarget, Imports)),
    webhooks: await service.use(connect(service, config.webhooksTarget, WebhookIntake)),
    metrics: {
      ...openDeliveryMetrics(service),
      ...openTestingMetrics(service),
      ...openAutomationMetrics(service),
      ...openConfirmationMetrics(service),
    },
    origins: {
      run: runOrigin,
      test_send: testSendOrigin,
      automation: automationOrigin,
      confirmation: confirmationOrigin,
    },
    changes: heardChanges(),
    contentThreads,
    handOffMessages,
    wakeWorkers: () => wakeWorkers(bus, service.name),
    consumerState: (stream, durable) => consumerState(bus, stream, durable),
  }
  const ctx = contexts<Deps>(db, service, deps)
  await service.use(relayOutbox(service, db, bus))
  return { db, bus, ctx, contentThreads }
}
