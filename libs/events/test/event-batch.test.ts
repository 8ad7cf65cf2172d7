import { expect, test } from '@jest/globals'
import {
  fromBatch,
  groupForMessages,
  groupsOf,
  isBatch,
  messageId,
  toMessage,
  workspacesIn,
} from '../src/event-batch.ts'
import { messageOf, waitingGroups, type OutboxRow } from './message-of.ts'

const idOf = (name: string) => `00000000-0000-7000-8000-${Buffer.from(name).toString('hex').padStart(12, '0')}`
const row = (name: string, over: Partial<OutboxRow> = {}): OutboxRow => ({
  id: idOf(name),
  event: 'gate_changed',
  workspace_id: null,
  data: Buffer.from(name).toString('base64'),
  headers: { type: 'lettergate.events.v1.GateChanged', correlationId: `c-${name}`, actor: 'tester', trace: {} },
  created_at: '2026-01-02 03:04:05.678+00',
  ...over,
})

test('a batch keeps its events, each with its own workspace, correlation id and trace', () => {
  const traced = row('b', { workspace_id: 'w', headers: { ...row('b').headers, trace: { traceparent: '00-1-2-01' } } })
  const message = messageOf('ledger', [row('a'), traced])
  expect(isBatch(message.headers)).toBe(true)
  const [first, second] = fromBatch(message, 'events.ledger.gate_changed').map((read) => read())
  expect(first!.meta).toEqual({
    id: idOf('a'),
    source: 'ledger',
    workspaceId: null,
    time: new Date('2026-01-02T03:04:05.678Z'),
    correlationId: 'c-a',
    actor: 'tester',
    actorKind: 'system',
    authMethod: null,
    trace: {},
  })
  expect(Buffer.from(first!.payload).toString()).toBe('a')
  expect(second!.meta).toMatchObject({ id: idOf('b'), workspaceId: 'w', trace: { traceparent: '00-1-2-01' } })
})

test('an event with a source or kind that differs from its subject is refused', () => {
  const message = messageOf('ledger', [row('a'), row('b')])
  expect(fromBatch(message, 't1.events.ledger.gate_changed')).toHaveLength(2)
  expect(() => fromBatch(message, 'events.gateway.gate_changed')).toThrow('came on events.gateway.gate_changed')
  expect(() => fromBatch(message, 'events.ledger.alert_raised')).toThrow('came on events.ledger.alert_raised')
})

test('the groups of a transaction, and the messages of groups, hold at most five hundred events and the size limit of the server', () => {
  const many = Array.from({ length: 1_250 }, (_, n) => row(`${n}`))
  expect(groupsOf(many).map(({ ids }) => ids.length)).toEqual([500, 500, 250])
  expect(groupsOf(many).flatMap(({ ids }) => ids)).toEqual(many.map(({ id }) => id))
  const large = Array.from({ length: 5 }, (_, n) => row(`${n}`, { data: Buffer.alloc(120_000).toString('base64') }))
  expect(groupsOf(large).map(({ ids }) => ids.length)).toEqual([2, 2, 1])
  expect(groupsOf([row('huge', { data: Buffer.alloc(500_000).toString('base64') })])).toHaveLength(1)

  const waiting = [200, 200, 200, 1].flatMap((count) => waitingGroups(many.slice(0, count)))
  const other = waitingGroups([row('o', { event: 'other' })])
  const messages = groupForMessages([...waiting.slice(0, 1), ...other, ...waiting.slice(1)])
  expect(messages.map((groups) => groups.map(({ events }) => events))).toEqual([[200, 200], [200, 1], [1]])
  expect(messages.map((groups) => groups[0]!.event)).toEqual(['gate_changed', 'gate_changed', 'other'])
})

test('a message of several transactions keeps the time of each', () => {
  const later = '2026-01-02T03:05:00.000Z'
  const groups = [...waitingGroups([row('a')]), ...waitingGroups([row('b', { created_at: later }), row('c')])]
  const events = fromBatch(toMessage('ledger', groups), 'events.ledger.gate_changed').map((read) => read())
  expect(events.map(({ meta }) => meta.time.toISOString())).toEqual(['2026-01-02T03:04:05.678Z', later, later])
  expect(events.map(({ payload }) => Buffer.from(payload).toString())).toEqual(['a', 'b', 'c'])
})

test('two messages have the same id only if they hold the same groups', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => ({ id })) as [
    { id: string },
    { id: string },
    { id: string },
    { id: string },
  ]
  expect(messageId([a, b, d], 's')).toBe(messageId([a, b, d], 's'))
  expect(messageId([a, b, c], 's')).not.toBe(messageId([a, b, d], 's'))
  expect(messageId([a], 's')).not.toBe(messageId([a], 'of another service'))
})

test('a malformed event is refused, and the other events of its batch are not', () => {
  const message = messageOf('ledger', [row('a', { id: 'A' }), row('b')])
  const [group] = JSON.parse(Buffer.from(message.data).toString()) as [{ events: [object, object] }]
  const [a, b] = group.events
  const events = [a, null, 5, 'text', {}, { ...b, id: 5 }, { ...b, data: undefined }, { ...b, data: 5 }, b]
  const data = Buffer.from(JSON.stringify([{ ...group, events }]))
  const readers = fromBatch({ ...message, data }, 'events.ledger.gate_changed')
  expect(readers).toHaveLength(9)
  for (const read of readers.slice(0, 8)) expect(read).toThrow()
  expect(readers[8]!().meta.id).toBe(idOf('b'))
})

test('a body that is not a list of events is refused', () => {
  const { headers } = messageOf('ledger', [row('a'), row('b')])
  for (const body of ['', '{', 'null', '{}', '"text"', '[]', '[5]', '[null]', '[{"events":[]}]'])
    expect(() => fromBatch({ headers, data: Buffer.from(body) }, 'events.ledger.gate_changed')).toThrow()
})

test('the workspaces of a message are those of its events, and unknown if one of them has none', () => {
  const subject = 'events.ledger.gate_changed'
  const [a, b] = [row('a', { workspace_id: 'w1' }), row('b', { workspace_id: 'w2' })]
  expect(workspacesIn({ subject, ...messageOf('ledger', [a, b, a]) })).toEqual(new Set(['w1', 'w2']))
  expect(workspacesIn({ subject, ...messageOf('ledger', [a]) })).toEqual(new Set(['w1']))
  expect(workspacesIn({ subject, ...messageOf('ledger', [a, row('c')]) })).toBeUndefined()
  expect(workspacesIn({ subject, ...messageOf('ledger', [row('c')]) })).toBeUndefined()
  expect(workspacesIn({ subject, data: new Uint8Array() })).toBeUndefined()
  expect(workspacesIn({ subject: 'events.other.gate_changed', ...messageOf('ledger', [a, b]) })).toBeUndefined()
})
