// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Migration } from '@mikro-orm/migrations'
import { AlertRaisedSchema, GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { contexts, newId, openDatabase, sql, type Context, type Database } from '@lettergate/database'
import { openStage, until, type Stage } from '@lettergate/stage'
import { createService, type Service } from '@lettergate/service'
import { Fault } from '@lettergate/fault'
import { deadLetterStates, eventTables, outboxGroups, outboxHeadersAsText, outboxWrittenOnce } from '../src/ddl.ts'
import { consume, consumer, firstTime, openBus, publish, publishAll, relayOutbox, type Bus } from '../src/events.ts'
import { messageOf, type OutboxRow } from './message-of.ts'

class First extends Migration {
  override up() {
    for (const statement of [
      ...eventTables(),
      ...deadLetterStates(),
      ...outboxWrittenOnce(),
      ...outboxHeadersAsText(),
      ...outboxGroups(),
      'create table effects (event_id uuid, name text)',
    ])
      this.addSql(statement)
  }
}
const schema = { schema: 'ledger', role: 'ledger', migrations: [{ name: '001-first', class: First }] }

let stage: Stage
let service: Service
let db: Database
let bus: Bus
let system: Context<object>
let contextOf: ReturnType<typeof contexts<object>>
const failures = new Map<string, unknown[]>()

const listener = consumer({
  name: 'on-gate-changed',
  from: 'ledger',
  event: GateChangedSchema,
  batch: 100,
  handle: async (ctx: Context<object>, events) => {
    for (const event of events) {
      const error = failures.get(event.data.name)?.shift()
      if (error) throw error
    }
    await ctx.tx(async (em) => {
      for (const event of await firstTime(em, events))
        await sql`insert into effects (event_id, name) values (${event.id}, ${event.data.name})`.execute(em.getKysely())
    })
  },
})

const effectsOf = async (name: string) =>
  Number((await stage.query<{ n: string }>('select count(*) as n from ledger.effects where name = $1', [name]))[0]!.n)

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('ledger', { logLevel: 'silent' })
  db = await service.use(openDatabase(service, { url: stage.databaseUrl('ledger'), schema: 'ledger', entities: [] }))
  bus = await service.use(openBus(service, stage.bus()))
  contextOf = contexts(db, service, {})
  system = contextOf.ofSystem('test')
  await service.use(relayOutbox(service, db, bus))
  await service.use(consume(service, { bus, db, consumer: listener, ctxOf: contextOf.ofEvent }))
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

test('an event is delivered after its transaction commits, and never if it rolls back', async () => {
  await expect(
    system.tx(async (em) => {
      await publish(em, GateChangedSchema, { name: 'rolled-back', effective: true })
      throw new Error('changed my mind')
    }),
  ).rejects.toThrow('changed my mind')
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'committed', effective: true }))
  await until(async () => (await effectsOf('committed')) === 1)
  expect(await effectsOf('rolled-back')).toBe(0)
})

test('an event that is delivered again has its effect once', async () => {
  const id = await stage.publish('ledger', GateChangedSchema, { name: 'twice', effective: true })
  await until(async () => (await effectsOf('twice')) === 1)
  await stage.publish('ledger', GateChangedSchema, { name: 'twice', effective: true }, { id })
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'after-twice', effective: true }))
  await until(async () => (await effectsOf('after-twice')) === 1)
  expect(await effectsOf('twice')).toBe(1)
})

test('a failed handler is retried until it succeeds', async () => {
  failures.set('flaky', [new Error('not yet'), new Fault('unavailable', 'database', 'later')])
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'flaky', effective: true }))
  await until(async () => (await effectsOf('flaky')) === 1)
})

test('a refused event becomes a dead letter without addresses and raises an alert, and other events are handled', async () => {
  failures.set(
    'poison',
    Array.from({ length: 9 }, () => new Fault('invalid_argument', 'name', 'no such gate as Ada@Example.com')),
  )
  await system.tx((em) =>
    publishAll(
      em,
      GateChangedSchema,
      ['good-1', 'poison', 'good-2'].map((name) => ({ name, effective: true })),
    ),
  )
  await until(async () => (await effectsOf('good-1')) + (await effectsOf('good-2')) === 2)
  const deadLetters = await until(async () => {
    const found = await stage.query<{ error: string }>('select error from ledger.dead_letters')
    return found.length > 0 && found
  })
  expect(deadLetters).toEqual([{ error: 'Fault: no such gate as [address]' }])
  const raised = await stage.query<{ payload: Uint8Array }>(
    `select payload from ledger.outbox where event = 'alert_raised'`,
  )
  expect(raised.map(({ payload }) => fromBinary(AlertRaisedSchema, payload))).toMatchObject([
    { code: 'dead_letter', severity: 'critical', about: 'on-gate-changed' },
  ])
})

test('events that are published together are sent in few messages, and each has its effect once', async () => {
  const messages = async () => {
    const filter = { subjects_filter: bus.subject('events.*.gate_changed') }
    const { subjects = {} } = (await bus.jsm.streams.info(bus.stream('EVENTS'), filter)).state
    return Object.values(subjects).reduce((sum, count) => sum + count, 0)
  }
  const before = await messages()
  const names = Array.from({ length: 1_250 }, (_, n) => `together-${n}`)
  await system.tx((em) =>
    publishAll(
      em,
      GateChangedSchema,
      names.map((name) => ({ name, effective: true })),
    ),
  )
  const effects = () => stage.query<{ name: string }>(`select name from ledger.effects where name like 'together-%'`)
  const found = await until(async () => (await effects()).length >= 1_250 && (await effects()))
  expect(found.map(({ name }) => name).sort()).toEqual(names.sort())
  // a batch of the relay fills two messages, and the remaining events fill one
  expect((await messages()) - before).toBe(3)
})

test('a retry of one event causes no second effect of other events in the same message', async () => {
  failures.set(
    'again',
    Array.from({ length: 3 }, () => new Error('not yet')),
  )
  await system.tx((em) =>
    publishAll(
      em,
      GateChangedSchema,
      ['beside-1', 'again', 'beside-2'].map((name) => ({ name, effective: true })),
    ),
  )
  await until(async () => (await effectsOf('again')) === 1)
  expect(await effectsOf('beside-1')).toBe(1)
  expect(await effectsOf('beside-2')).toBe(1)
})

test('events that are delivered again in other groups have their effect once each', async () => {
  const named = (name: string): OutboxRow => ({
    id: newId(),
    event: 'gate_changed',
    workspace_id: null,
    data: Buffer.from(toBinary(GateChangedSchema, create(GateChangedSchema, { name: `regrouped-${name}` }))).toString(
      'base64',
    ),
    headers: { type: GateChangedSchema.typeName, correlationId: 'test', actor: 'tester', trace: {} },
    created_at: new Date().toISOString(),
  })
  const [first, second, third, fourth] = [named('first'), named('second'), named('third'), named('fourth')]
  for (const group of [[first, second], [second, third, first], [third], [fourth, first, second, third], [fourth]]) {
    const { headers, data } = messageOf('ledger', group)
    await bus.js.publish(bus.subject('events.ledger.gate_changed'), data, { headers })
  }
  await until(async () => (await effectsOf('regrouped-fourth')) === 1)
  await until(
    async () => (await bus.jsm.consumers.info(bus.stream('EVENTS'), 'ledger__on-gate-changed')).num_ack_pending === 0,
  )
  const effects = await stage.query<{ name: string }>(
    `select name from ledger.effects where name like 'regrouped-%' order by name`,
  )
  expect(effects.map(({ name }) => name)).toEqual(['first', 'fourth', 'second', 'third'].map((n) => `regrouped-${n}`))
})

test('events of two lanes are handled concurrently, each once, and the message is acknowledged after all of them', async () => {
  const handled: string[] = []
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const inLanes = consumer({
    name: 'on-gate-changed-in-lanes',
    from: 'ledger',
    event: GateChangedSchema,
    batch: 10,
    lanes: { count: 2, of: ({ data }) => (data.name.endsWith('held') ? 1 : 0) },
    handle: async (_ctx: Context<object>, events) => {
      if (events.some(({ data }) => data.name === 'lane-held')) await held
      handled.push(...events.map(({ data }) => data.name).filter((name) => name.startsWith('lane-')))
    },
  })
  const part = await consume(service, { bus, db, consumer: inLanes, ctxOf: contextOf.ofEvent })
  const pending = async () =>
    (await bus.jsm.consumers.info(bus.stream('EVENTS'), 'ledger__on-gate-changed-in-lanes')).num_ack_pending
  const free = Array.from({ length: 25 }, (_, n) => `lane-${n}`)
  await system.tx((em) =>
    publishAll(
      em,
      GateChangedSchema,
      ['lane-held', ...free].map((name) => ({ name, effective: true })),
    ),
  )
  await until(() => Promise.resolve(handled.length === free.length))
  await until(async () => (await pending()) === 1)
  release()
  await until(async () => (await pending()) === 0)
  expect(handled.toSorted()).toEqual(['lane-held', ...free].sort())
  await part.stop()
})

test('only the unreadable events of a message are dropped, and an unreadable message is not delivered again', async () => {
  const readable = Buffer.from(toBinary(GateChangedSchema, create(GateChangedSchema, { name: 'readable' })))
  const rowOf = (payload: Buffer, id = newId()) => ({
    id,
    event: 'gate_changed',
    workspace_id: null,
    data: payload.toString('base64'),
    headers: { type: GateChangedSchema.typeName, correlationId: 'test', actor: 'tester', trace: {} },
    created_at: new Date().toISOString(),
  })
  const rows = [rowOf(readable, 'no-uuid'), rowOf(readable), rowOf(Buffer.from([255]))]
  const { headers, data } = messageOf('ledger', rows)
  for (const body of [data, Buffer.from('[]'), Buffer.from('{}')])
    await bus.js.publish(bus.subject('events.ledger.gate_changed'), body, { headers })
  await until(async () => (await effectsOf('readable')) === 1)
  await until(
    async () => (await bus.jsm.consumers.info(bus.stream('EVENTS'), 'ledger__on-gate-changed')).num_ack_pending === 0,
  )
  expect(await effectsOf('readable')).toBe(1)
})

test('an event with a source or kind that differs from its subject is dropped and counted, and other events continue', async () => {
  const dropped = async () => {
    const { values } = await service.metrics.getSingleMetric('lettergate_events_handled_total')!.get()
    return values.find(({ labels }) => labels['outcome'] === 'dropped')?.value ?? 0
  }
  const before = await dropped()
  const row = (event: string) => ({
    id: newId(),
    event,
    workspace_id: newId(),
    data: Buffer.from(
      toBinary(GateChangedSchema, create(GateChangedSchema, { name: 'forged', effective: true })),
    ).toString('base64'),
    headers: { type: GateChangedSchema.typeName, correlationId: 'test', actor: 'tester', trace: {} },
    created_at: new Date().toISOString(),
  })
  const subject = bus.subject('events.ledger.gate_changed')
  for (const [source, event] of [
    ['gateway', 'gate_changed'],
    ['ledger', 'alert_raised'],
  ] as const) {
    for (const rows of [[row(event)], [row(event), row(event)]]) {
      const { headers, data } = messageOf(source, rows)
      await bus.js.publish(subject, data, { headers })
    }
  }
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'after-forged', effective: true }))
  await until(async () => (await effectsOf('after-forged')) === 1)
  expect(await effectsOf('forged')).toBe(0)
  expect(await dropped()).toBe(before + 4)
})

test('after the server loses its store, events are published again, and inboxes skip the handled ones', async () => {
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'before-loss', effective: true }))
  await until(async () => (await effectsOf('before-loss')) === 1)
  await bus.jsm.streams.delete(bus.stream('EVENTS'))
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'after-loss', effective: true }))
  await until(async () => (await effectsOf('after-loss')) === 1)
  expect(await effectsOf('before-loss')).toBe(1)
  await until(async () => (await stage.query('select from ledger.outbox_pending')).length === 0)
})

test('a deleted stream is detected even if nothing is published', async () => {
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'before-deletion', effective: true }))
  await until(async () => (await effectsOf('before-deletion')) === 1)
  const stream = bus.stream('EVENTS')
  await bus.jsm.streams.delete(stream)
  // The streams service creates it again. Meanwhile nothing is published and no connection breaks.
  await until(() =>
    bus.jsm.streams.info(stream).then(
      ({ state }) => state.messages > 0,
      () => false,
    ),
  )
  expect(await effectsOf('before-deletion')).toBe(1)
})

test('a consumer that handles events of five minutes ago raises an alert that ends by itself, and still handles them', async () => {
  const minutesAgo = (minutes: number) => ({ time: new Date(Date.now() - minutes * 60_000) })
  await stage.publish('ledger', GateChangedSchema, { name: 'nearly-late', effective: true }, minutesAgo(1))
  await stage.publish('ledger', GateChangedSchema, { name: 'late', effective: true }, minutesAgo(60))
  await stage.publish('ledger', GateChangedSchema, { name: 'also-late', effective: true }, minutesAgo(60))
  await until(async () => (await effectsOf('late')) + (await effectsOf('also-late')) === 2)
  const raised = await until(async () => {
    const rows = await stage.query<{ payload: Uint8Array }>(
      `select payload from ledger.outbox where event = 'alert_raised'`,
    )
    const found = rows
      .map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
      .filter(({ code }) => code === 'events_late')
    return found.length > 0 && found
  })
  expect(raised).toMatchObject([{ about: 'on-gate-changed', severity: 'warning', lastsSeconds: 600 }])
})

test('metrics show how many messages of a consumer are not settled', async () => {
  const lag = async () => {
    const { values } = await service.metrics.getSingleMetric('lettergate_consumer_lag_messages')!.get()
    return values.find(({ labels }) => labels['consumer'] === 'on-gate-changed')?.value
  }
  await until(async () => (await lag()) === 0)
  failures.set('behind', Array<Error>(1_000).fill(new Fault('unavailable', 'database', 'later')))
  await system.tx((em) => publish(em, GateChangedSchema, { name: 'behind', effective: true }))
  await until(async () => (await lag()) === 1)
  failures.delete('behind')
  await until(async () => (await lag()) === 0)
  expect(await effectsOf('behind')).toBe(1)
})
