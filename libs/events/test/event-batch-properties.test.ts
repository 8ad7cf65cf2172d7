import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newId } from '@lettergate/database'
import { fromBatch, groupForMessages, messageId, payloadBytes, toBatch } from '../src/event-batch.ts'
import type { OutboxRow } from '../src/message.ts'

const kinds = ['gate_changed', 'alert_raised', 'audit_recorded']
const rowArbitrary = fc.record({
  kind: fc.nat({ max: 2 }),
  bytes: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 300_000 })),
})
const rowOf = ({ kind, bytes }: { kind: number; bytes: number }): OutboxRow => ({
  id: newId(),
  event: kinds[kind]!,
  workspace_id: null,
  data: Buffer.alloc(bytes).toString('base64'),
  headers: { type: 'x', correlationId: 'c', actor: 'a', trace: {} },
  created_at: '2026-01-02T03:04:05.678Z',
})

test('every event is in exactly one message, with its own kind only, in the order of the outbox', () => {
  fc.assert(
    fc.property(fc.array(rowArbitrary, { maxLength: 60 }), (given) => {
      const rows = given.map(rowOf)
      const sets = groupForMessages(rows)
      for (const set of sets) expect(new Set(set.map(({ event }) => event)).size).toBe(1)
      for (const kind of kinds)
        expect(sets.flat().filter(({ event }) => event === kind)).toEqual(rows.filter(({ event }) => event === kind))
      expect(sets.flat()).toHaveLength(rows.length)
    }),
    { numRuns: 50 },
  )
})

test('no message has more than 500 events, and none but a single event has more than 256 KiB of payload', () => {
  fc.assert(
    fc.property(fc.array(rowArbitrary, { maxLength: 40 }), fc.nat({ max: 1_100 }), (given, small) => {
      const rows = [...given, ...Array.from({ length: small }, () => ({ kind: 0, bytes: 1 }))].map(rowOf)
      for (const set of groupForMessages(rows)) {
        expect(set.length).toBeLessThanOrEqual(500)
        const bytes = set.reduce((sum, row) => sum + payloadBytes(row), 0)
        expect(set.length === 1 || bytes <= 262_144).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})

test('no set of more than one event is larger on the wire than the megabyte that the server takes', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 40 }),
      text,
      text,
      (sizes, actor, correlationId) => {
        const rows = sizes.map((bytes) => {
          const row = rowOf({ kind: 0, bytes })
          return { ...row, workspace_id: newId(), headers: { ...row.headers, actor, correlationId } }
        })
        for (const set of groupForMessages(rows)) expect(toBatch('ledger', set).data.byteLength).toBeLessThan(1_048_576)
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
    fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (events) => {
      const rows = events.map(({ payload, workspaceId, actor, correlationId, trace }) => {
        const row = rowOf({ kind: 0, bytes: 0 })
        return {
          ...row,
          data: Buffer.from(payload).toString('base64'),
          workspace_id: workspaceId,
          headers: { ...row.headers, actor, correlationId, trace },
        }
      })
      const arrived = fromBatch(toBatch('ledger', rows), 'events.ledger.gate_changed').map((read) => read())
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

test('a message id depends on every event, their order and the secret of the publisher, and on nothing else', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 8 }), fc.nat(), (count, at) => {
      const rows = Array.from({ length: count }, () => rowOf({ kind: 0, bytes: 1 }))
      const id = messageId(rows, 'secret')
      const changed = rows.with(at % count, rowOf({ kind: 0, bytes: 1 }))
      expect(
        messageId(
          rows.map((row) => ({ ...row, data: Buffer.from('y').toString('base64') })),
          'secret',
        ),
      ).toBe(id)
      for (const other of [changed, rows.slice(1), rows.toReversed(), [...rows, rows[0]!]])
        expect(messageId(other, 'secret')).not.toBe(id)
      expect(messageId(rows, 'other secret')).not.toBe(id)
    }),
    { numRuns: 50 },
  )
})
