import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newId } from '@lettergate/database'
import { fromBatch, groupForMessages, groupsOf, messageId, toMessage, type WaitingGroup } from '../src/event-batch.ts'
import { messageOf, waitingGroups, type OutboxRow } from './message-of.ts'

const kinds = ['gate_changed', 'alert_raised', 'audit_recorded']
const rowOf = (bytes: number): OutboxRow => ({
  id: newId(),
  event: kinds[0]!,
  workspace_id: null,
  data: Buffer.alloc(bytes).toString('base64'),
  headers: { type: 'x', correlationId: 'c', actor: 'a', trace: {} },
  created_at: '2026-01-02T03:04:05.678Z',
})
const sizes = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 300_000 }))

test('every event is in exactly one group, in order; no group is too large, except for one event', () => {
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 40 }), fc.nat({ max: 1_100 }), (large, small) => {
      const rows = [...large, ...Array.from({ length: small }, () => 1)].map(rowOf)
      const groups = groupsOf(rows)
      expect(groups.flatMap(({ ids }) => ids)).toEqual(rows.map(({ id }) => id))
      for (const { ids, payloadBytes } of groups) {
        expect(ids.length).toBeLessThanOrEqual(500)
        expect(ids.length === 1 || payloadBytes <= 262_144).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})

test('every group is in exactly one message, with its own kind only, in order; no message is too large, except for one group', () => {
  const group = fc.record({ kind: fc.nat({ max: 2 }), events: fc.integer({ min: 1, max: 500 }), payloadBytes: sizes })
  fc.assert(
    fc.property(fc.array(group, { maxLength: 60 }), (given) => {
      const groups = given.map(({ kind, ...sized }): WaitingGroup => ({
        id: newId(),
        event: kinds[kind]!,
        type: 'x',
        time: '',
        text: '',
        ...sized,
      }))
      const messages = groupForMessages(groups)
      expect(messages.flat()).toHaveLength(groups.length)
      for (const kind of kinds)
        expect(messages.flat().filter(({ event }) => event === kind)).toEqual(
          groups.filter(({ event }) => event === kind),
        )
      for (const message of messages) {
        expect(new Set(message.map(({ event }) => event)).size).toBe(1)
        const sum = (of: 'events' | 'payloadBytes') => message.reduce((all, one) => all + one[of], 0)
        expect(message.length === 1 || (sum('events') <= 500 && sum('payloadBytes') <= 262_144)).toBe(true)
      }
    }),
    { numRuns: 50 },
  )
})

test('no message of more than one event is larger on the wire than the megabyte that the server takes', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 40 }),
      fc.nat({ max: 40 }),
      text,
      text,
      (given, split, actor, correlationId) => {
        const rows = given.map((bytes) => {
          const row = rowOf(bytes)
          return { ...row, workspace_id: newId(), headers: { ...row.headers, actor, correlationId } }
        })
        const transactions = [rows.slice(0, split), rows.slice(split)].filter(({ length }) => length > 0)
        for (const message of groupForMessages(transactions.flatMap(waitingGroups)))
          expect(toMessage('ledger', message).data.byteLength).toBeLessThan(1_048_576)
      },
    ),
    { numRuns: 40 },
  )
})

test('each event of a batch keeps its own payload, workspace, correlation id, actor and trace', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  const few = fc.oneof(fc.constantFrom('a', 'b'), text)
  const event = fc.record({
    payload: fc.uint8Array({ maxLength: 200 }),
    workspaceId: fc.option(fc.constantFrom(newId(), newId())),
    actor: few,
    correlationId: few,
    trace: fc.constantFrom<Record<string, string>>({}, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
  })
  fc.assert(
    fc.property(fc.array(event, { minLength: 2, maxLength: 6 }), (events) => {
      const rows = events.map(({ payload, workspaceId, actor, correlationId, trace }) => {
        const row = rowOf(0)
        return {
          ...row,
          data: Buffer.from(payload).toString('base64'),
          workspace_id: workspaceId,
          headers: { ...row.headers, actor, correlationId, trace },
        }
      })
      const arrived = fromBatch(messageOf('ledger', rows), 'events.ledger.gate_changed').map((read) => read())
      expect(arrived.map(({ meta }) => meta)).toMatchObject(
        events.map(({ workspaceId, actor, correlationId, trace }, n) => ({
          id: rows[n]!.id,
          source: 'ledger',
          workspaceId,
          actor,
          correlationId,
          trace,
          time: new Date('2026-01-02T03:04:05.678Z'),
        })),
      )
      for (const [n, { payload }] of arrived.entries())
        expect(Buffer.from(payload).equals(Buffer.from(events[n]!.payload))).toBe(true)
    }),
  )
})

test('a message id depends on every group, their order and the secret of the publisher, and on nothing else', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), fc.nat(), (count, at) => {
      const groups = Array.from({ length: count }, () => ({ id: newId() }))
      const id = messageId(groups, 'secret')
      expect(messageId(structuredClone(groups), 'secret')).toBe(id)
      const changed = groups.with(at % count, { id: newId() })
      for (const other of [changed, groups.slice(1), groups.toReversed(), [...groups, groups[0]!]])
        expect(messageId(other, 'secret')).not.toBe(id)
      expect(messageId(groups, 'other secret')).not.toBe(id)
    }),
    { numRuns: 50 },
  )
})
