import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { headers as natsHeaders } from '@nats-io/transport-node'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { eventName, eventSubject, fromHeaders, toHeaders, type OutboxRow } from './message.ts'

const rowOf = (more: Partial<OutboxRow> = {}, headers: Partial<OutboxRow['headers']> = {}) =>
  ({
    id: newId(),
    event: 'audit_recorded',
    workspace_id: newId(),
    payload: new Uint8Array(),
    headers: { type: AuditRecordedSchema.typeName, correlationId: 'c', actor: 'editor', trace: {}, ...headers },
    created_at: '2026-07-28T10:00:00.123+00:00',
    ...more,
  }) as OutboxRow
const subject = eventSubject('gateway', 'audit_recorded')

test('an event is named by its message in snake case, also on the subject', () => {
  expect(eventName(AuditRecordedSchema)).toBe('audit_recorded')
  expect(subject).toBe('events.gateway.audit_recorded')
})

test('what headers say is read back as it was, whatever is written in actor and correlation id', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(text, text, fc.boolean(), (actor, correlationId, isTenants) => {
      const row = rowOf(isTenants ? {} : { workspace_id: null }, { actor, correlationId })
      expect(fromHeaders(toHeaders('gateway', row), subject)).toMatchObject({
        id: row.id,
        workspaceId: row.workspace_id,
        time: new Date('2026-07-28T10:00:00.123Z'),
        actor,
        correlationId,
      })
    }),
  )
})

test('the trace of the request that announced it travels along', () => {
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=1' }
  expect(fromHeaders(toHeaders('gateway', rowOf({}, { trace })), subject).trace).toEqual(trace)
})

test('headers that are missing, not ours, or of another event are refused', () => {
  expect(() => fromHeaders(undefined, subject)).toThrow()
  expect(() => fromHeaders(natsHeaders(), subject)).toThrow()
  const headers = toHeaders('gateway', rowOf())
  expect(() => fromHeaders(headers, eventSubject('gateway', 'gate_changed'))).toThrow()
  expect(() => fromHeaders(headers, eventSubject('imports', 'audit_recorded'))).toThrow()
  for (const id of ['', 'no-id', newId().toUpperCase()])
    expect(() => fromHeaders(toHeaders('gateway', rowOf({ id })), subject)).toThrow()
})
