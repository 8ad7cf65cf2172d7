import { create, toBinary } from '@bufbuild/protobuf'
import type { JsMsg } from '@nats-io/jetstream'
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { GateChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { read } from '../src/arrival.ts'
import { toHeaders } from '../src/message.ts'
import { messageOf, type OutboxRow } from './message-of.ts'

const subject = 'events.ledger.gate_changed'

const rowOf = (name: string, payload?: Uint8Array): OutboxRow => ({
  id: newId(),
  event: 'gate_changed',
  workspace_id: null,
  data: Buffer.from(payload ?? toBinary(GateChangedSchema, create(GateChangedSchema, { name }))).toString('base64'),
  headers: { type: GateChangedSchema.typeName, correlationId: `c-${name}`, actor: 'tester', trace: {} },
  created_at: '2026-01-02T03:04:05.678Z',
})

/** A message that notes what the server is told about it. */
function messageWith(headers: MsgHdrs | undefined, data: Uint8Array, deliveryCount = 1) {
  const told: string[] = []
  const message = {
    headers,
    data,
    subject,
    info: { deliveryCount },
    ack: () => void told.push('ack'),
    nak: (ms: number) => void told.push(`nak ${ms}`),
    term: (...reason: string[]) => void told.push(['term', ...reason].join(' ')),
    working: () => void told.push('working'),
  }
  return { message: message as unknown as JsMsg, told }
}

function readRows(rows: readonly OutboxRow[], deliveryCount?: number) {
  const { headers, data } = messageOf('ledger', rows)
  const { message, told } = messageWith(headers, data, deliveryCount)
  const dropped: unknown[] = []
  const deliveries = read(message, {
    event: GateChangedSchema,
    consumer: 'on-gate-changed',
    dropped: (error) => dropped.push(error),
  })
  return { deliveries, told, dropped }
}

test('an event arrives with its data, its time, its source and its attempt, alone or in a batch', () => {
  for (const rows of [[rowOf('a')], [rowOf('a'), rowOf('b')]]) {
    const { deliveries } = readRows(rows, 3)
    expect(deliveries.map(({ event }) => event)).toMatchObject(
      rows.map(({ id, headers }) => ({
        id,
        source: 'ledger',
        workspaceId: null,
        time: new Date('2026-01-02T03:04:05.678Z'),
        correlationId: headers.correlationId,
        data: { name: headers.correlationId.slice(2) },
      })),
    )
    expect(deliveries.map(({ message }) => message.attempt)).toEqual(rows.map(() => 3))
    expect(deliveries.map(({ message }) => message.subject)).toEqual(rows.map(() => subject))
  }
})

test('a message is answered once, after its last event: acknowledged, or given back with the longest delay of its events', () => {
  const results = fc.array(fc.option(fc.integer({ min: 0, max: 60_000 })), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(results, fc.infiniteStream(fc.nat()), (delays, order) => {
      const { deliveries, told } = readRows(delays.map((_, n) => rowOf(String(n))))
      const open = deliveries.map((delivery, n) => ({ delivery, delay: delays[n]! }))
      while (open.length > 0) {
        expect(told).toEqual([])
        const [{ delivery, delay }] = open.splice(order.next().value % open.length, 1) as [(typeof open)[number]]
        if (delay === null) delivery.message.settle()
        else delivery.message.retry(delay)
      }
      const given = delays.filter((delay) => delay !== null)
      expect(told).toEqual([given.length === 0 ? 'ack' : `nak ${Math.max(...given)}`])
    }),
  )
})

test('an event with an unreadable payload is dropped, and its message is acknowledged with the other events', () => {
  const { deliveries, told, dropped } = readRows([rowOf('a'), rowOf('b', new Uint8Array([255])), rowOf('c')])
  expect(deliveries.map(({ event }) => event.data.name)).toEqual(['a', 'c'])
  expect(dropped).toHaveLength(1)
  expect(told).toEqual([])
  for (const { message } of deliveries) message.settle()
  expect(told).toEqual(['ack'])
})

test('a message of unreadable payloads only is acknowledged at once', () => {
  const { deliveries, told, dropped } = readRows([rowOf('a', new Uint8Array([255]))])
  expect(deliveries).toEqual([])
  expect(dropped).toHaveLength(1)
  expect(told).toEqual(['ack'])
})

const batchHeaders = () => messageOf('ledger', [rowOf('a'), rowOf('b')]).headers
test.each([
  ['without headers', undefined, ''],
  ['with foreign headers', natsHeaders(), ''],
  ['of another source', toHeaders('gateway', rowOf('a')), ''],
  ['of another event', toHeaders('ledger', { ...rowOf('a'), event: 'alert_raised' }), ''],
  ['with a batch that is not JSON', batchHeaders(), '{'],
  ['with a batch that is not a list', batchHeaders(), '{}'],
  ['with a group that is not one', batchHeaders(), '[5]'],
  ['with a group without events', batchHeaders(), '[{"events":[]}]'],
])('a message %s is terminated, reported once and never delivered again', (_, headers, data) => {
  const { message, told } = messageWith(headers, Buffer.from(data))
  const dropped: unknown[] = []
  const deliveries = read(message, {
    event: GateChangedSchema,
    consumer: 'on-gate-changed',
    dropped: (error) => dropped.push(error),
  })
  expect(deliveries).toEqual([])
  expect(dropped).toHaveLength(1)
  expect(told).toEqual(['term'])
})

test.each([
  ['a number', [1]],
  ['null', [null]],
  ['no payload', [{ id: newId() }]],
])('an event of a batch that is %s is dropped and reported, and its message is acknowledged', (_, batch) => {
  const { message, told } = messageWith(
    batchHeaders(),
    Buffer.from(JSON.stringify([{ time: '2026-01-02T03:04:05.678Z', events: batch }])),
  )
  const dropped: unknown[] = []
  const options = { event: GateChangedSchema, consumer: 'on-gate-changed', dropped: (e: unknown) => dropped.push(e) }
  expect(read(message, options)).toEqual([])
  expect(dropped).toHaveLength(1)
  expect(told).toEqual(['ack'])
})

test('each event of a message can extend its time at the server', () => {
  const { deliveries, told } = readRows([rowOf('a'), rowOf('b')])
  for (const { message } of deliveries) message.markInProgress()
  expect(told).toEqual(['working', 'working'])
})

test('events of any number and content survive the batch format', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 20 }), (names) => {
      const { deliveries, dropped } = readRows(names.map((name) => rowOf(name)))
      expect(dropped).toEqual([])
      expect(deliveries.map(({ event }) => event.data.name)).toEqual(names)
    }),
  )
})
