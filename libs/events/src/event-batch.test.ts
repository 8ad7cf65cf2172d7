import { expect, test } from '@jest/globals'
import { fromBatch, isBatch, messageId, toBatch, together } from './event-batch.ts'
import type { OutboxRow } from './message.ts'

const idOf = (name: string) => `00000000-0000-7000-8000-${Buffer.from(name).toString('hex').padStart(12, '0')}`
const row = (name: string, over: Partial<OutboxRow> = {}): OutboxRow => ({
  id: idOf(name),
  event: 'gate_changed',
  workspace_id: null,
  payload: Buffer.from(name),
  headers: { type: 'lettergate.events.v1.GateChanged', correlationId: `c-${name}`, actor: 'tester', trace: {} },
  created_at: '2026-01-02 03:04:05.678+00',
  ...over,
})

test('what goes into a batch comes out of it, each event with its own workspace, correlation and trace', () => {
  const traced = row('b', { workspace_id: 'w', headers: { ...row('b').headers, trace: { traceparent: '00-1-2-01' } } })
  const { headers, data } = toBatch('ledger', [row('a'), traced])
  expect(isBatch(headers)).toBe(true)
  const [first, second] = fromBatch(data, 'events.ledger.gate_changed')
  expect(first!.meta).toEqual({
    id: idOf('a'),
    source: 'ledger',
    workspaceId: null,
    time: new Date('2026-01-02T03:04:05.678Z'),
    correlationId: 'c-a',
    actor: 'tester',
    trace: {},
  })
  expect(Buffer.from(first!.payload).toString()).toBe('a')
  expect(second!.meta).toMatchObject({ id: idOf('b'), workspaceId: 'w', trace: { traceparent: '00-1-2-01' } })
})

test('an event that claims another source or kind than its subject is not taken', () => {
  const { data } = toBatch('ledger', [row('a'), row('b')])
  expect(fromBatch(data, 't1.events.ledger.gate_changed')).toHaveLength(2)
  expect(() => fromBatch(data, 'events.gateway.gate_changed')).toThrow('came on events.gateway.gate_changed')
  expect(() => fromBatch(data, 'events.ledger.alert_raised')).toThrow('came on events.ledger.alert_raised')
})

test('a message holds events of one kind, at most five hundred, and no more bytes than the server takes', () => {
  const many = Array.from({ length: 1_250 }, (_, n) => row(`${n}`, n % 250 === 7 ? { event: 'other' } : {}))
  const sets = together(many)
  expect(sets.map((set) => set.length)).toEqual([500, 500, 245, 5])
  expect(sets.slice(0, 3).flat()).toEqual(many.filter(({ event }) => event === 'gate_changed'))
  const large = Array.from({ length: 5 }, (_, n) => row(`${n}`, { payload: Buffer.alloc(120_000) }))
  expect(together(large).map((set) => set.length)).toEqual([2, 2, 1])
  expect(together([row('huge', { payload: Buffer.alloc(500_000) })])).toHaveLength(1)
})

test('two messages are the same to the server only when every event in them is', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => row(id)) as [OutboxRow, OutboxRow, OutboxRow, OutboxRow]
  expect(messageId([a, b, d], 's')).toBe(messageId([a, b, d], 's'))
  expect(messageId([a, b, c], 's')).not.toBe(messageId([a, b, d], 's'))
  expect(messageId([a], 's')).not.toBe(messageId([a], 'of another service'))
})

test('an event whose id is no UUID is not taken', () => {
  const { data } = toBatch('ledger', [row('a', { id: 'A' }), row('b')])
  expect(() => fromBatch(data, 'events.ledger.gate_changed')).toThrow('no UUID')
})
