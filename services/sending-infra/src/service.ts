import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { contexts, openDatabase } from '@lettergate/database'
import { deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { providerConnections } from '@lettergate/mail-provider/connections'
import { connect, serveRpc } from '@lettergate/rpc'
import { repeat, serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import type { Ctx, Deps } from './ctx.ts'
import { entities } from './db/entities.ts'
import { schema } from './db/migrations.ts'
import { purgeRepeatedChecks } from './verification/purge-repeated-checks.ts'
import { recheckDomains } from './verification/recheck-domains.ts'
import { openMetrics } from './metrics.ts'
import { operations } from './operations.ts'
import { mailgun } from './provider/mailgun/mailgun.ts'
import { dnsClient } from './verification/dns-client.ts'

const lookupsMax = 6

/** Wires the service and returns once it is ready. Parts stop in the reverse of this order. */
export async function start(service: Service, config: Config): Promise<{ rpcPort: number; healthPort: number }> {
  if (config.keyOwners === null)
    service.log.warn('PROVIDER_KEY_OWNERS is not set: every organization may use every key of the mail provider')
  const metrics = openMetrics(service)
  // Any webhook request makes webhook-intake look up a connection id. These lookups have their own pool, so that they never use
  // up the connections of delivery. It is opened first, so that readiness checks the other pool.
  const lookups = await service.use(
    openDatabase(service, { url: config.databaseUrl, schema: schema.schema, entities, poolMax: lookupsMax }),
  )
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: schema.schema, entities }))
  const bus = await service.use(openBus(service, config))
  const identity = await service.use(connect(service, config.identityTarget, Identity))

  const deps: Deps = {
    config,
    identity,
    organizations: new Map(),
    metrics,
    provider: mailgun({
      baseUrls: { us: config.providerUsBaseUrl, eu: config.providerEuBaseUrl },
      timeoutMs: config.providerTimeoutMs,
      metrics,
      connections: providerConnections(),
    }),
    dns: dnsClient({ servers: config.dnsServers, timeoutMs: config.dnsTimeoutMs, tries: config.dnsTries, metrics }),
    acrossWorkspaces: (job): Ctx => lookupsOf.ofSystem(job),
  }
  const ctx = contexts<Deps>(db, service, deps)
  const lookupsOf = contexts<Deps>(lookups, service, deps)

  await service.use(relayOutbox(service, db, bus))
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: SendingInfra,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  await service.use(recheckDomains(service, ctx.ofSystem))
  await service.use(
    repeat(service, 'purge-repeated-checks', 3_600_000, () =>
      purgeRepeatedChecks(ctx.ofSystem('purge-repeated-checks')),
    ),
  )
  const health = await service.use(serveHealth(service, config.healthPort))
  return { rpcPort: rpc.port, healthPort: health.port }
}
