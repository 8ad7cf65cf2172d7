import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AckPolicy } from '@nats-io/jetstream'
import { PermissionViolationError, connect, headers, type NatsConnection } from '@nats-io/transport-node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBus } from '@lettergate/events'
import { makeKey } from '@lettergate/events/broker-keys'
import { createService, type TlsFiles } from '@lettergate/service'
import { createAuthority } from '@lettergate/stage/certificates'
import { startNats } from '@lettergate/stage/nats'
import { until } from '@lettergate/stage/until'
import { openBroker, recordLog, type Broker } from './broker.ts'
import { services, userNames } from '../src/users.ts'

let broker: Broker
beforeAll(async () => {
  broker = await openBroker()
})
afterAll(() => broker.close())

/** The result of a request at the server: its answer, or the missing permission. */
async function asks(connection: NatsConnection, subject: string, body: unknown = ''): Promise<string> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  return connection.request(subject, payload, { timeout: 5_000 }).then(
    (answer) => answer.string(),
    (error: Error) => error.message,
  )
}

const refusedPublish = (subject: string) => `Permissions Violation for Publish to "${subject}"`

/** The error of a subscription; undefined when it is allowed. */
async function subscribes(connection: NatsConnection, subject: string): Promise<string | undefined> {
  let refused: string | undefined
  const subscription = connection.subscribe(subject, {
    callback: (error) => void (refused = error === null ? refused : error.message),
  })
  await connection.flush()
  subscription.unsubscribe()
  return refused
}

test('a client without credentials, or with an unknown key, is refused', async () => {
  const { natsUrl } = broker.config('gateway')
  await expect(connect({ servers: natsUrl, maxReconnectAttempts: 0 })).rejects.toThrow('Authorization Violation')
  const service = createService('gateway', { logLevel: 'silent' })
  await expect(openBus(service, { ...broker.config('gateway'), natsNkeySeed: '' })).rejects.toThrow(
    'NATS refuses the user of gateway',
  )
  await expect(openBus(service, { ...broker.config('gateway'), natsNkeySeed: makeKey().seed })).rejects.toThrow(
    'NATS refuses the user of gateway',
  )
})

test.each(userNames)('%s may not publish under a subject of another user', async (name) => {
  const connection = await broker.as(name)
  const others = Object.keys(services).filter((other) => other !== name)
  for (const other of others) {
    const subject = `events.${other}.workspace_changed`
    expect(await asks(connection, subject)).toBe(refusedPublish(subject))
  }
  if (name === 'campaigns-delivery') return
  expect(await asks(connection, 'delivery.batch')).toBe(refusedPublish('delivery.batch'))
})

test.each(Object.keys(services))('%s publishes its own events', async (name) => {
  const answer = await asks(await broker.as(name), `events.${name}.something`)
  expect(JSON.parse(answer)).toMatchObject({ stream: 'EVENTS' })
})

test('a service creates and reads only its own consumers, with any name or filter', async () => {
  const owner = await broker.bus('contacts-consent')
  const durable = 'contacts-consent__on-message-accepted'
  const filter = 'events.campaigns-delivery.message_accepted'
  const config = { durable_name: durable, filter_subject: filter, ack_policy: AckPolicy.Explicit }
  await owner.jsm.consumers.add('EVENTS', config)
  await (await broker.bus('campaigns-delivery')).js.publish(filter, 'x')
  const own = await (await owner.js.consumers.get('EVENTS', durable)).next()
  expect(own!.subject).toBe(filter)
  own!.ack()

  const other = await broker.as('webhook-intake')
  for (const subject of [
    `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${durable}`,
    `$JS.API.CONSUMER.INFO.EVENTS.${durable}`,
    `$JS.API.CONSUMER.DELETE.EVENTS.${durable}`,
    `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.${filter}`,
    `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
    `$JS.API.CONSUMER.CREATE.EVENTS.webhook-intake__own.events.webhook-intake.provider_event_received`,
    '$JS.API.CONSUMER.CREATE.EVENTS',
    '$JS.API.CONSUMER.CREATE.DELIVERY.webhook-intake__own.delivery.batch',
    '$JS.API.CONSUMER.MSG.NEXT.DELIVERY.campaigns-delivery__deliver',
    `$JS.ACK.EVENTS.${durable}.1.1.1.1.0`,
  ])
    expect(await asks(other, subject, {})).toBe(refusedPublish(subject))

  const consents = await broker.as('contacts-consent')
  for (const subject of [
    `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.events.>`,
    `$JS.API.CONSUMER.CREATE.EVENTS.${durable}`,
    `$JS.API.CONSUMER.CREATE.DELIVERY.${durable}.${filter}`,
    `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
    `$JS.API.CONSUMER.DELETE.EVENTS.${durable}`,
  ])
    expect(await asks(consents, subject, {})).toBe(refusedPublish(subject))
  // The body names another subject than the allowed one.
  for (const lie of [{ filter_subject: 'events.>' }, { filter_subject: undefined }, { durable_name: 'gateway__x' }]) {
    const answer = await asks(consents, `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.${filter}`, {
      stream_name: 'EVENTS',
      config: { ...config, ...lie },
    })
    expect(JSON.parse(answer)).toMatchObject({ error: { code: 400 } })
  }
})

test.each(Object.keys(services))('%s cannot create, change, empty, copy or delete a stream', async (name) => {
  const connection = await broker.as(name)
  for (const subject of [
    '$JS.API.STREAM.DELETE.EVENTS',
    '$JS.API.STREAM.PURGE.EVENTS',
    '$JS.API.STREAM.UPDATE.EVENTS',
    '$JS.API.STREAM.CREATE.EVENTS',
    '$JS.API.STREAM.CREATE.COPY',
    '$JS.API.STREAM.UPDATE.DELIVERY',
    '$JS.API.STREAM.MSG.GET.EVENTS',
    '$JS.API.STREAM.MSG.DELETE.EVENTS',
    '$JS.API.DIRECT.GET.EVENTS',
    '$JS.API.STREAM.SNAPSHOT.EVENTS',
    '$SYS.REQ.SERVER.PING',
  ])
    expect(await asks(connection, subject, {})).toBe(refusedPublish(subject))
})

test('no user subscribes outside of the streams, except delivery workers for the subjects that they need', async () => {
  const refused = (subject: string) => `Permissions Violation for Subscription to "${subject}"`
  for (const name of userNames) {
    const connection = await broker.as(name)
    const allowed = services[name]?.subscribes ?? []
    for (const subject of ['>', 'events.>', 'events.*.alert_raised', 'delivery.>', '_INBOX.>', '$JS.>', '$SYS.>'])
      expect([name, await subscribes(connection, subject)]).toEqual([name, refused(subject)])
    for (const other of userNames.filter((user) => user !== name))
      expect([name, await subscribes(connection, `_INBOX.${other}.>`)]).toEqual([name, refused(`_INBOX.${other}.>`)])
    for (const subject of allowed) expect([name, await subscribes(connection, subject)]).toEqual([name, undefined])
  }
})

test('a consumer cannot be used to publish a message under the subject of another service', async () => {
  const connection = await broker.as('campaigns-delivery')
  const bus = await broker.bus('campaigns-delivery')
  const durable = 'campaigns-delivery__deliver'
  await bus.jsm.consumers.add('DELIVERY', {
    durable_name: durable,
    filter_subject: 'delivery.batch',
    ack_policy: AckPolicy.Explicit,
  })
  const forged = headers()
  forged.set('ce-id', 'forged')
  forged.set('ce-workspaceid', 'another')
  await bus.js.publish('delivery.batch', 'x', { headers: forged })
  const ofGateway = 'events.gateway.workspace_changed'
  const gateway = await broker.bus('contacts-consent')
  await gateway.jsm.consumers.add('EVENTS', {
    durable_name: 'contacts-consent__on-workspace-changed',
    filter_subject: ofGateway,
    ack_policy: AckPolicy.Explicit,
  })
  connection.publish(`$JS.API.CONSUMER.MSG.NEXT.DELIVERY.${durable}`, JSON.stringify({ batch: 1 }), {
    reply: ofGateway,
  })
  await until(async () => (await bus.jsm.consumers.info('DELIVERY', durable)).num_pending === 0)
  await (await broker.bus('gateway')).js.publish(ofGateway, 'genuine')
  const source = await gateway.js.consumers.get('EVENTS', 'contacts-consent__on-workspace-changed')
  const taken = []
  for await (const message of await source.fetch({ max_messages: 10, expires: 1_000 })) taken.push(message.string())
  expect(taken).toEqual(['genuine'])
})

test('answers of the server to subjects of its own API empty no stream and delete no message', async () => {
  const keeper = await broker.bus('nats-streams')
  const held = async (stream: string) => (await keeper.jsm.streams.info(stream)).state
  const durable = 'campaigns-delivery__deliver'
  const delivery = await broker.bus('campaigns-delivery')
  await delivery.jsm.consumers.add('DELIVERY', {
    durable_name: durable,
    filter_subject: 'delivery.batch',
    ack_policy: AckPolicy.Explicit,
  })
  await delivery.js.publish('delivery.batch', 'x')
  const before = { EVENTS: await held('EVENTS'), DELIVERY: await held('DELIVERY') }
  const actions = ['PURGE', 'MSG.DELETE'].flatMap((action) =>
    ['EVENTS', 'DELIVERY'].map((stream) => `$JS.API.STREAM.${action}.${stream}`),
  )
  const names = Object.keys(services)
  for (const name of names) {
    const connection = await broker.as(name)
    // The answer is {"stream":"EVENTS","seq":N}, which these subjects read as a request about message N.
    for (const reply of actions) connection.publish(`events.${name}.something`, 'x', { reply })
    await connection.flush()
  }
  // The answers "no message", whose body is empty.
  const connection = await broker.as('campaigns-delivery')
  for (const stream of ['EVENTS', 'DELIVERY'])
    for (let times = 0; times < 2; times += 1)
      connection.publish(
        `$JS.API.CONSUMER.MSG.NEXT.DELIVERY.${durable}`,
        JSON.stringify({ batch: 100, no_wait: true }),
        { reply: `$JS.API.STREAM.PURGE.${stream}` },
      )
  await connection.flush()
  const published = before.EVENTS.last_seq + names.length * actions.length
  await until(async () => (await held('EVENTS')).last_seq === published)
  await delivery.js.publish('delivery.batch', 'x')
  expect((await held('EVENTS')).messages).toBe(before.EVENTS.messages + names.length * actions.length)
  expect((await held('DELIVERY')).messages).toBe(before.DELIVERY.messages + 1)
})

test('a refusal of the server is logged with its subject and counted', async () => {
  const bus = await broker.bus('imports')
  const subject = 'events.gateway.gate_changed'
  await expect(bus.js.publish(subject, 'x')).rejects.toThrow(refusedPublish(subject))
  bus.connection.subscribe('events.>', { callback: () => undefined })
  await until(() => bus.logged.length >= 2)
  expect(bus.logged).toMatchObject([
    { level: 'error', subject, err: expect.any(PermissionViolationError) },
    { level: 'error', subject: 'events.>', err: expect.any(PermissionViolationError) },
  ])
  const metrics = await bus.service.metrics.metrics()
  expect(metrics).toContain('lettergate_nats_refused_total{operation="publish",service="imports",role="service"} 1')
  expect(metrics).toContain(
    'lettergate_nats_refused_total{operation="subscription",service="imports",role="service"} 1',
  )
})

test('a service with a configured authority accepts only a server with a certificate of that authority', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-broker-tls-'))
  const [ours, foreign] = await Promise.all(
    ['ours', 'foreign'].map(async (name) => (await createAuthority(join(directory, name))).issue('localhost')),
  )
  const start = ({ cert, key }: TlsFiles, port?: number) =>
    startNats({
      directory,
      config: `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)} }`,
      ...(port ? { port } : {}),
    })
  const impostor = await start(foreign!)
  const natsUrl = impostor.url.replace('127.0.0.1', 'localhost')
  const service = createService('gateway', { logLevel: 'info' })
  const logged = recordLog(service)
  const opening = openBus(service, { ...broker.config('gateway'), natsUrl, natsCaFile: ours!.ca })
  await until(() => logged.length > 0)
  expect(logged).toMatchObject([{ message: 'NATS cannot be reached; the connection will be retried' }])
  await impostor.stop()
  const genuine = await start(ours!, Number(new URL(natsUrl).port))
  await (await service.use(opening)).connection.flush()
  await service.stop()
  await genuine.stop()
  rmSync(directory, { recursive: true })
})

test('a server that lost its store gets its streams back automatically', async () => {
  const bus = await broker.bus('sending-infra')
  await broker.loseStore()
  await until(() => bus.js.publish('events.sending-infra.sender_changed', 'x').then(() => true))
})

test('a server reads its file again without a restart, and accepts another key of a service', async () => {
  const own = await openBroker()
  try {
    const { seed, publicKey } = makeKey()
    own.reload((config) => config.replace('$NATS_NKEY_IMPORTS', publicKey))
    const service = createService('imports', { logLevel: 'silent' })
    const opened = await until(
      () => openBus(service, { ...own.config('imports'), natsNkeySeed: seed }).catch(() => undefined),
      { what: 'the new key' },
    )
    await service.use(opened)
    await service.stop()
  } finally {
    await own.close()
  }
})
