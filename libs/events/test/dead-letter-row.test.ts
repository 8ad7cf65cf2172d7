import { create, toBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { metaOfRow, shownDeadLetter, type DeadLetterRow } from '../src/dead-letters/dead-letter-row.ts'
import { errorText } from '../src/dead-letters/store-dead-letter.ts'
import { payloadIds } from '../src/dead-letters/payload-ids.ts'
import { withoutAddresses } from '../src/dead-letters/without-addresses.ts'

const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
const rowOf = (more: Partial<DeadLetterRow> = {}): DeadLetterRow => ({
  id: newId(),
  consumer: 'on-audit-recorded',
  subject: 't1.events.ledger.audit_recorded',
  event_id: newId(),
  payload: Buffer.from(toBinary(AuditRecordedSchema, create(AuditRecordedSchema, { action: 'done' }))),
  headers: {
    id: newId(),
    workspaceId: null,
    time: '2026-01-02T03:04:05.678Z',
    correlationId: 'c-1',
    actor: 'ada',
    trace: {},
  },
  error: 'Fault: no such row',
  attempts: 3,
  state: 'dead',
  created_at: '2026-01-02 03:05:00+00',
  replay_requested_at: null,
  replayed_at: null,
  discarded_at: null,
  discard_reason: null,
  ...more,
})

test('the announcing service and the event come from the subject, with or without a namespace', () => {
  for (const subject of ['t1.events.ledger.audit_recorded', 'events.ledger.audit_recorded']) {
    expect(metaOfRow(rowOf({ subject }))).toMatchObject({
      source: 'ledger',
      time: new Date('2026-01-02T03:04:05.678Z'),
    })
    expect(shownDeadLetter('gateway', rowOf({ subject }))).toMatchObject({
      service: 'gateway',
      announcedBy: 'ledger',
      event: 'audit_recorded',
    })
  }
})

test.each([
  ['Fault: no such row', 'Fault', 'no such row'],
  ['TypeError: a: b: c', 'TypeError', 'a: b: c'],
  ['it just failed', 'Error', 'it just failed'],
  ['', 'Error', ''],
])('the stored error %j is shown as its class and its message', (error, errorClass, errorMessage) => {
  expect(shownDeadLetter('ledger', rowOf({ error }))).toMatchObject({ errorClass, errorMessage })
})

test('addresses in errors that earlier releases stored are not shown', () => {
  const { errorMessage } = shownDeadLetter('ledger', rowOf({ error: 'Error: no row of ada@example.com at 10.1.2.3' }))
  expect(errorMessage).toBe('no row of [address] at [address]')
})

test('times and the reason of a settled dead letter are shown, and absent ones are left out', () => {
  const shown = shownDeadLetter(
    'ledger',
    rowOf({
      replay_requested_at: '2026-01-03 00:00:00+00',
      discarded_at: '2026-01-04 00:00:00+02',
      discard_reason: 'sent by hand',
      state: 'discarded',
    }),
  )
  expect(timestampDate(shown.failedAt as never)).toEqual(new Date('2026-01-02T03:05:00Z'))
  expect(timestampDate(shown.replayRequestedAt as never)).toEqual(new Date('2026-01-03T00:00:00Z'))
  expect(timestampDate(shown.discardedAt as never)).toEqual(new Date('2026-01-03T22:00:00Z'))
  expect(shown).toMatchObject({ state: 'discarded', discardReason: 'sent by hand', attempts: 3 })
  expect(shown.replayedAt).toBeUndefined()
})

test('the trace id is that of the request that announced the event', () => {
  const headers = { ...rowOf().headers, trace }
  expect(shownDeadLetter('ledger', rowOf({ headers })).traceId).toBe('a'.repeat(32))
  expect(shownDeadLetter('ledger', rowOf()).traceId).toBeUndefined()
})

test('the actor and the payload of an event are never shown, whatever they hold', () => {
  const name = fc.stringMatching(/^[a-z]{8,12}$/)
  fc.assert(
    fc.property(name, name, name, (actor, note, address) => {
      const payload = Buffer.from(
        toBinary(
          AuditRecordedSchema,
          create(AuditRecordedSchema, {
            action: note,
            actor,
            detail: { email: `${address}@example.com`, person_id: note },
          }),
        ),
      )
      const headers = { ...rowOf().headers, actor }
      const row = rowOf({ payload, headers, error: `Error: ${address}@example.com failed` })
      const shown = JSON.stringify(shownDeadLetter('ledger', row), (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      for (const hidden of [actor, note, `${address}@`]) expect(shown).not.toContain(hidden)
    }),
  )
})

test('an error is stored as its class and message, without addresses and within 2,000 characters', () => {
  expect(errorText(new Fault('not_found', 'row', 'No row of ada@example.com'))).toBe('Fault: No row of [address]')
  expect(errorText(new TypeError('x'))).toBe('TypeError: x')
  expect(errorText('just text')).toBe('just text')
  expect(errorText(undefined)).toBe('undefined')
  expect(errorText(new Error('x'.repeat(5_000)))).toHaveLength(2_000)
})

test('a text without addresses is safe to clean twice, and no at sign is left between two words', () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9.+_-]{1,20}$/)
  const between = fc.constantFrom(' ', ', ', '"', "'", '(', '<', ';', ': ', '=')
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word, between), { maxLength: 8 }), (parts) => {
      const text = parts.map(([local, host, end]) => `${local}@${host}${end}`).join('')
      const cleaned = withoutAddresses(text)
      expect(cleaned).not.toContain('@')
      expect(withoutAddresses(cleaned)).toBe(cleaned)
    }),
  )
})

test('every IPv4 address and every full IPv6 address is removed', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.ipV4(),
        fc.ipV6().filter((ip) => (ip.match(/:/g) ?? []).length === 7 && !ip.includes('.')),
      ),
      (ip) => {
        expect(withoutAddresses(`connect to ${ip} failed`)).toBe('connect to [address] failed')
      },
    ),
  )
})

test('at most 20 ids of a field are shown, in their order', () => {
  const ids = Array.from({ length: 30 }, () => newId())
  const payload = toBinary(AuditRecordedSchema, create(AuditRecordedSchema, { detail: { thing_ids: ids } }))
  expect(payloadIds('audit_recorded', payload)).toEqual({ thing_ids: ids.slice(0, 20) })
})

test('ids of the same name in several places are listed together', () => {
  const [a, b, c] = [newId(), newId(), newId()]
  const detail = { first: { person_id: a }, others: [{ person_id: b }, { person_id: c }] }
  const payload = toBinary(AuditRecordedSchema, create(AuditRecordedSchema, { detail }))
  expect(payloadIds('audit_recorded', payload)).toEqual({ person_id: [a, b, c] })
})
