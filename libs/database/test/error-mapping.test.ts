import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { faultOf, isCheckViolation, isDeadConnection, isRetryable, isUniqueViolation } from '../src/errors.ts'

const wrapped = (error: unknown, times: number): unknown =>
  times === 0 ? error : new Error('wrapped', { cause: wrapped(error, times - 1) })
const ofState = (code: string, constraint?: string) =>
  Object.assign(new Error('refused'), { code, ...(constraint === undefined ? {} : { constraint }) })

test('a violated constraint is recognised by its name, however the ORM wraps the error', () => {
  for (const times of [0, 1, 2, 4]) {
    const unique = wrapped(ofState('23505', 'rows_key'), times)
    expect([
      isUniqueViolation(unique),
      isUniqueViolation(unique, 'rows_key'),
      isUniqueViolation(unique, 'other'),
    ]).toEqual([true, true, false])
    const check = wrapped(ofState('23514', 'rows_check'), times)
    expect([isCheckViolation(check, 'rows_check'), isCheckViolation(check, 'other')]).toEqual([true, false])
    expect([isUniqueViolation(check), isCheckViolation(unique, 'rows_key')]).toEqual([false, false])
  }
})

test.each(['40001', '40P01'])('the state %s may be tried again', (code) => {
  expect(isRetryable(wrapped(ofState(code), 1))).toBe(true)
})

test('no other state is tried again', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9A-Z]{5}$/), (code) => {
      fc.pre(code !== '40001' && code !== '40P01')
      expect(isRetryable(ofState(code))).toBe(false)
    }),
  )
  for (const error of [undefined, null, 'text', 7, new Error('40001')]) expect(isRetryable(error)).toBe(false)
})

test.each([
  ofState('57P01'),
  ofState('57P02'),
  ofState('ECONNRESET'),
  ofState('EPIPE'),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
])('%s is a dead connection and an outage', (error) => {
  expect(isDeadConnection(error)).toBe(true)
  expect(faultOf(error)).toMatchObject({ code: 'unavailable', reason: 'database', cause: error })
})

test.each(['57014', '55P03', '23505', 'ENOENT', '57P03'])('the state %s is not a dead connection', (code) => {
  expect(isDeadConnection(ofState(code))).toBe(false)
})

test.each([
  ['57014', 'unavailable', 'busy'],
  ['55P03', 'unavailable', 'busy'],
  ['08006', 'unavailable', 'database'],
  ['53300', 'unavailable', 'database'],
  ['57P03', 'unavailable', 'database'],
  ['ECONNREFUSED', 'unavailable', 'database'],
  ['ETIMEDOUT', 'unavailable', 'database'],
  ['ENOTFOUND', 'unavailable', 'database'],
  ['EAI_AGAIN', 'unavailable', 'database'],
  ['22021', 'invalid_argument', 'text'],
  ['22P05', 'invalid_argument', 'text'],
])('the state %s is the Fault %s with the reason %s, and keeps its cause', (code, faultCode, reason) => {
  for (const error of [ofState(code), wrapped(ofState(code), 2)])
    expect(faultOf(error)).toMatchObject({ code: faultCode, reason, cause: error })
})

test('a pool that gives no connection in time is an outage', () => {
  expect(faultOf(new Error('timeout exceeded when trying to connect'))).toMatchObject({ code: 'unavailable' })
})

test('a Fault stays the same, and every other error stays a bug with its own type', () => {
  const fault = new Fault('conflict', 'row', 'taken')
  expect(faultOf(fault)).toBe(fault)
  for (const error of [
    ofState('23505'),
    ofState('42P01'),
    ofState('22P02'),
    new TypeError('x'),
    'text',
    undefined,
    null,
  ])
    expect(faultOf(error)).toBe(error)
})

test('no Fault of the database quotes what the database said', () => {
  const quoting = (code: string) => Object.assign(new Error('Key (email)=(ada@example.com)'), { code })
  for (const code of ['57014', '08006', '53300', '22021'])
    expect((faultOf(quoting(code)) as Fault).message).not.toContain('ada')
})

test('an error that causes itself ends the search', () => {
  const error = new Error('loop')
  error.cause = error
  expect(isRetryable(error)).toBe(false)
  expect(faultOf(error)).toBe(error)
})
