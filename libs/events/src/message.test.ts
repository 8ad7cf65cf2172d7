import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { headers as natsHeaders } from '@nats-io/transport-node'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { eventName, eventSubject, metaReader, toHeaders, type OutboxEntry } from './message.ts'

const rowOf = (more: Partial<OutboxEntry> = {}, headers: Partial<OutboxEntry['headers']> = {}) =>
  ({
    id: newId(),
    event: 'audit_recorded',
    workspace_id: newId(),
    headers: { type: AuditRecordedSchema.typeName, correlationId: 'c', actor: 'editor', trace: {}, ...headers },
    created_at: '2026-07-28T10:00:00.123+00:00',
    ...more,
  }) as OutboxEntry
const subject = eventSubject('gateway', 'audit_recorded')

test('the name of an event is its message name in snake case, also in the subject', () => {
  expect(eventName(AuditRecordedSchema)).toBe('audit_recorded')
  expect(subject).toBe('events.gateway.audit_recorded')
})

test('headers are read back unchanged, with any characters in the actor and the correlation id', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(text, text, fc.boolean(), (actor, correlationId, isTenants) => {
      const row = rowOf(isTenants ? {} : { workspace_id: null }, { actor, correlationId })
      expect(metaReader(toHeaders('gateway', row), subject)()()).toMatchObject({
        id: row.id,
        workspaceId: row.workspace_id,
        time: new Date('2026-07-28T10:00:00.123Z'),
        actor,
        correlationId,
      })
    }),
  )
})

test('an event carries the trace of the request that published it', () => {
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=1' }
  expect(metaReader(toHeaders('gateway', rowOf({}, { trace })), subject)()().trace).toEqual(trace)
})

test('missing headers, foreign headers and headers of another event are refused', () => {
  expect(() => metaReader(undefined, subject)()()).toThrow()
  expect(() => metaReader(natsHeaders(), subject)()()).toThrow()
  const headers = toHeaders('gateway', rowOf())
  expect(() => metaReader(headers, eventSubject('gateway', 'gate_changed'))).toThrow()
  expect(() => metaReader(headers, eventSubject('imports', 'audit_recorded'))).toThrow()
  for (const id of ['', 'no-id', newId().toUpperCase()])
    expect(() => metaReader(toHeaders('gateway', rowOf({ id })), subject)()()).toThrow()
})
