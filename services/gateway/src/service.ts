import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { DeadLetters } from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { httpApp, listenHttp } from '@lettergate/http'
import { connect, serveRpc } from '@lettergate/rpc'
import { repeat, serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { exportsAtOnce } from './audit-log/audit-exports.ts'
import { checkAuditLog } from './audit-log/check-audit-log.ts'
import { sealAuditLog } from './audit-log/seal-audit-log.ts'
import { deliverNotices } from './alerts/deliver-notices.ts'
import { endAlerts } from './alerts/end-alerts.ts'
import { onAlertRaised } from './alerts/on-alert-raised.ts'
import { reportOpenAlerts } from './alerts/report-open-alerts.ts'
import { here, watchOutboxes } from './alerts/watch-outboxes.ts'
import { onAuditRecorded } from './audit-log/on-audit-recorded.ts'
import type { Deps } from './ctx.ts'
import { deadLettersHere } from './dead-letters.ts'
import { entities } from './entities.ts'
import { ceilingsOf } from './gates/gates.ts'
import { openEdge } from './edge.ts'
import { watchGates } from './gates/gate-watch.ts'
import { purgeAcknowledgedAlerts } from './alerts/purge-acknowledged-alerts.ts'
import { operations } from './operations.ts'

/** Wires the service and returns when it is ready. Parts stop in the reverse order. */
export async function start(service: Service, config: Config) {
  const ceilings = ceilingsOf(config)
  const health = await service.use(serveHealth(service, config.healthPort))
  const db = await service.use(
    openDatabase(service, { url: config.databaseUrl, schema: 'identity', entities, longPoolMax: exportsAtOnce }),
  )
  const bus = await service.use(openBus(service, config))
  const gates = await service.use(watchGates(service, db, ceilings))
  const withDeadLetters = { additional: DeadLetters }
  const contacts = await service.use(connect(service, config.contactsConsentTarget, ContactsConsent, withDeadLetters))
  const sending = await service.use(connect(service, config.sendingInfraTarget, SendingInfra, withDeadLetters))
  const campaigns = await service.use(
    connect(service, config.campaignsDeliveryTarget, CampaignsDelivery, withDeadLetters),
  )
  const imports = await service.use(connect(service, config.importsTarget, Imports, withDeadLetters))
  const automations = await service.use(connect(service, config.automationsTarget, Automations, withDeadLetters))
  const webhooks = await service.use(connect(service, config.webhookIntakeTarget, WebhookIntake, withDeadLetters))

  const deps: Deps = {
    ceilings,
    deploymentEnvironment: config.deploymentEnvironment,
    sending,
    session: null,
    hasAlertWebhook: config.alertWebhookUrl !== '',
    acrossWorkspaces: (caller) => ctx.ofEvent({ ...caller, workspaceId: null }),
    gatesChanged: () => gates.refresh(),
  }
  const ctx = contexts(db, service, deps)
  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: onAuditRecorded, ctxOf: ctx.ofEvent }))
  await service.use(consume(service, { bus, db, consumer: onAlertRaised, ctxOf: ctx.ofEvent }))
  const seal = ctx.ofSystem('seal-audit-log')
  await service.use(repeat(service, 'seal-audit-log', 1_000, () => sealAuditLog(seal)))
  const checking = ctx.ofSystem('check-audit-log')
  await service.use(repeat(service, 'check-audit-log', config.auditCheckEveryMs, () => checkAuditLog(checking)))
  const purging = ctx.ofSystem('purge-acknowledged-alerts')
  await service.use(
    repeat(service, 'purge-acknowledged-alerts', 3_600_000, () =>
      purgeAcknowledgedAlerts(purging, config.alertKeepDays),
    ),
  )
  reportOpenAlerts(service, ctx.ofSystem('metrics'))
  const ending = ctx.ofSystem('end-alerts')
  await service.use(repeat(service, 'end-alerts', 10_000, () => endAlerts(ending)))
  const neighbours = {
    'contacts-consent': contacts,
    'sending-infra': sending,
    'campaigns-delivery': campaigns,
    imports,
    automations,
    'webhook-intake': webhooks,
  }
  const watching = ctx.ofSystem('watch-outboxes')
  await service.use(
    repeat(service, 'watch-outboxes', 10_000, () => watchOutboxes(watching, { gateway: here(service), ...neighbours })),
  )
  if (config.alertWebhookUrl !== '') {
    const { alertWebhookUrl: url, alertWebhookSecret: secret, alertWebhookAllowPrivate: allowPrivate } = config
    const notifying = ctx.ofSystem('deliver-notices')
    const deliver = () => deliverNotices(notifying, { url, secret, allowPrivate })
    await service.use(repeat(service, 'deliver-notices', 1_000, deliver))
  }
  const own = deadLetters(service, db)
  const rpc = await service.use(
    serveRpc(service, { port: config.rpcPort, rpc: Identity, operations, ctxOf: ctx.ofCall, additional: own }),
  )

  const remotes = [
    { rpc: ContactsConsent, client: contacts },
    { rpc: SendingInfra, client: sending },
    { rpc: CampaignsDelivery, client: campaigns },
    { rpc: Imports, client: imports },
    { rpc: Automations, client: automations },
    { rpc: WebhookIntake, client: webhooks },
  ]
  const deadLettersOf = {
    gateway: deadLettersHere(own),
    ...neighbours,
  }
  const surroundings = { db, gates, contacts, campaigns, remotes, deadLettersOf, ctxOf: ctx.ofCall }
  const engine = openEdge(service, config, surroundings)
  const http = await service.use(listenHttp(service, httpApp(service, engine.handle), config.httpPort))
  return { rpcPort: rpc.port, httpPort: http.port, healthPort: health.port }
}
