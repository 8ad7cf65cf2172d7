import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, openBus, relayOutbox } from '@lettergate/events'
import { finishApp, httpApp, listenHttp } from '@lettergate/http'
import { connect, serveRpc } from '@lettergate/rpc'
import { serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { onAlertRaised } from './consumers/on-alert-raised.ts'
import { onAuditRecorded } from './consumers/on-audit-recorded.ts'
import type { Deps } from './ctx.ts'
import { entities } from './db/entities.ts'
import { ceilingsOf } from './domain/gates.ts'
import { openEdge } from './edge.ts'
import { watchGates } from './gate-watch.ts'
import { operations } from './operations/index.ts'

/** Wires the service and returns once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config) {
  const ceilings = ceilingsOf(config)
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'identity', entities }))
  const bus = await service.use(openBus(service, { url: config.natsUrl, namespace: config.natsNamespace }))
  const gates = await service.use(watchGates(service, db, ceilings))
  const contacts = await service.use(connect(service, config.contactsConsentTarget, ContactsConsent))
  const sending = await service.use(connect(service, config.sendingInfraTarget, SendingInfra))
  const campaigns = await service.use(connect(service, config.campaignsDeliveryTarget, CampaignsDelivery))
  const imports = await service.use(connect(service, config.importsTarget, Imports))
  const automations = await service.use(connect(service, config.automationsTarget, Automations))
  const webhooks = await service.use(connect(service, config.webhookIntakeTarget, WebhookIntake))

  const deps: Deps = {
    ceilings,
    sending,
    csrfToken: null,
    acrossWorkspaces: (caller) => ctx.ofEvent({ ...caller, workspaceId: null }),
    gatesChanged: () => gates.refresh(),
  }
  const ctx = contexts(db, service, deps)
  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: onAuditRecorded, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onAlertRaised, ctxOf: ctx.ofEvent }))
  const rpc = await service.use(
    serveRpc(service, { port: config.rpcPort, rpc: Identity, operations, ctxOf: ctx.ofCall }),
  )

  const app = httpApp(service)
  const remotes = [
    { rpc: ContactsConsent, client: contacts },
    { rpc: SendingInfra, client: sending },
    { rpc: CampaignsDelivery, client: campaigns },
    { rpc: Imports, client: imports },
    { rpc: Automations, client: automations },
    { rpc: WebhookIntake, client: webhooks },
  ]
  const engine = openEdge(service, config, { db, gates, contacts, campaigns, remotes, ctxOf: ctx.ofCall })
  app.use(engine.middleware)
  finishApp(app)
  const http = await service.use(listenHttp(service, app, config.httpPort))
  return { rpcPort: rpc.port, httpPort: http.port, healthPort: health.port, notOffered: engine.notOffered }
}
