import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { AckPolicy, RetentionPolicy } from '@nats-io/jetstream'
import { openStage, until, type Stage } from '@lettergate/stage'
import { createService, type Service } from '@lettergate/service'
import { eventTables } from '../src/ddl.ts'
import { keepStreams, openBus, type Bus } from '../src/events.ts'
import { streamNames } from '../src/streams.ts'

class First extends Migration {
  override up() {
    for (const statement of eventTables()) this.addSql(statement)
  }
}
const schema = { schema: 'ledger', role: 'ledger', migrations: [{ name: '001-first', class: First }] }

let stage: Stage
let service: Service
let bus: Bus

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('ledger', { logLevel: 'silent' })
  bus = await service.use(openBus(service, { ...stage.bus(), natsNamespace: `${stage.bus().natsNamespace}old` }))
})
afterAll(async () => {
  for (const name of streamNames) await bus.jsm.streams.delete(bus.stream(name))
  await service.stop()
  await stage.close()
})

test('a stream of an earlier release keeps its messages, and purging it is no longer allowed', async () => {
  await bus.jsm.streams.add({ name: bus.stream('EVENTS'), subjects: [bus.subject('events.>')] })
  await bus.jsm.streams.add({
    name: bus.stream('DELIVERY'),
    subjects: [bus.subject('delivery.>')],
    retention: RetentionPolicy.Workqueue,
  })
  await bus.js.publish(bus.subject('events.ledger.gate_changed'), 'x')
  await bus.js.publish(bus.subject('delivery.batch'), 'x')
  const keeping = await keepStreams(service, bus)
  for (const name of streamNames.map((stream) => bus.stream(stream))) {
    await expect(bus.jsm.streams.purge(name)).rejects.toThrow('not permitted')
    await expect(bus.jsm.streams.deleteMessage(name, 1)).rejects.toThrow('not permitted')
    expect((await bus.jsm.streams.info(name)).state.messages).toBe(1)
  }
  await keeping.stop()
})

test('the streams have as many replicas as asked for', async () => {
  const replicas = () =>
    Promise.all(streamNames.map(async (name) => (await bus.jsm.streams.info(bus.stream(name))).config.num_replicas))
  expect(await replicas()).toEqual([1, 1])
  await (await keepStreams(service, bus, 3)).stop()
  expect(await replicas()).toEqual([3, 3])
  await (await keepStreams(service, bus)).stop()
  expect(await replicas()).toEqual([1, 1])
})

test('an acknowledgement still removes its message from the work queue', async () => {
  const stream = bus.stream('DELIVERY')
  await bus.jsm.consumers.add(stream, { durable_name: 'worker', ack_policy: AckPolicy.Explicit })
  const message = await (await bus.js.consumers.get(stream, 'worker')).next()
  message!.ack()
  await until(async () => (await bus.jsm.streams.info(stream)).state.messages === 0)
})
