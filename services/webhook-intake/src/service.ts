import { microBatch } from '@lettergate/batch'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import { contexts, openDatabase } from '@lettergate/database'
import { consume, deadLetters, openBus, relayOutbox } from '@lettergate/events'
import { httpApp, listenHttp } from '@lettergate/http'
import { rateLimit } from '@lettergate/http/rate-limit'
import { connect, serveRpc } from '@lettergate/rpc'
import { repeat, serveHealth, type Service } from '@lettergate/service'
import type { Config } from './config.ts'
import { openConnections } from './connections.ts'
import { onMessagesErased } from './consumers/on-messages-erased.ts'
import { ConsumedToken } from './db/consumed-token.entity.ts'
import { ErasedMessage } from './db/erased-message.entity.ts'
import { ProviderEvent } from './db/provider-event.entity.ts'
import { purgeProviderEvents } from './jobs/purge-provider-events.ts'
import { openMetrics } from './metrics.ts'
import { operations } from './operations/index.ts'
import { receiveProviderEvent } from './operations/receive-provider-event.ts'
import { storeProviderEvents, type Arrival, type StoreOutcome } from './operations/store-provider-events.ts'
import { rateLimitGate, webhookRate } from './rate-limit.ts'
import { talliesOf } from './tallies.ts'

/** Wires the service and returns when it is ready. Parts stop in the reverse order. */
export async function start(
  service: Service,
  config: Config,
): Promise<{ rpcPort: number; httpPort: number; healthPort: number }> {
  const db = await service.use(
    openDatabase(service, {
      url: config.databaseUrl,
      schema: 'webhooks',
      entities: [ProviderEvent, ConsumedToken, ErasedMessage],
    }),
  )
  const bus = await service.use(openBus(service, config))
  const identity = await service.use(connect(service, config.identityTarget, Identity))
  const sending = await service.use(connect(service, config.sendingTarget, SendingInfra))
  const metrics = openMetrics(service)
  await service.use(relayOutbox(service, db, bus))

  const store = contexts(db, service, {}).ofSystem('store-provider-events')
  const intake = await service.use(
    microBatch<Arrival, StoreOutcome>({
      maxRunning: 2,
      run: (arrivals) => {
        metrics.batchItems.observe(arrivals.length)
        return storeProviderEvents(store, arrivals)
      },
    }),
  )
  const tallies = await service.use(talliesOf(service, db))
  const isLimited = rateLimitGate(service, identity)
  const ctx = contexts(db, service, {
    config,
    metrics,
    tallies,
    intake,
    connections: openConnections(service, sending, rateLimit(config.unknownPerMinute, isLimited)),
    rate: webhookRate(config.rateLimitPerMinute, isLimited),
  })
  await service.use(
    repeat(service, 'purge-provider-events', 600_000, () => purgeProviderEvents(ctx.ofSystem('purge-provider-events'))),
  )

  await service.use(consume(service, { bus, db, consumer: onMessagesErased, ctxOf: ctx.ofEvent }))

  const receive = receiveProviderEvent(service, ctx.ofSystem('receive-provider-event'), (connection, correlationId) =>
    ctx.ofEvent({ ...providerCaller, workspaceId: connection.workspaceId, correlationId }),
  )
  const rpc = await service.use(
    serveRpc(service, {
      port: config.rpcPort,
      rpc: WebhookIntake,
      operations,
      ctxOf: ctx.ofCall,
      additional: deadLetters(service, db),
    }),
  )
  const http = await service.use(listenHttp(service, httpApp(service, receive), config.httpPort))
  const health = await service.use(serveHealth(service, config.healthPort))
  return { rpcPort: rpc.port, httpPort: http.port, healthPort: health.port }
}

const providerCaller = {
  organization: null,
  workspace: null,
  actor: 'provider',
  actorKind: 'provider',
  authMethod: null,
  role: null,
  platformRole: null,
} as const
