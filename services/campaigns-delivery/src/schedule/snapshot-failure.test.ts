import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { afterFailure, attemptsMax, errorOf, failureOf } from './snapshot-failure.ts'

const away = new Fault('unavailable', 'contacts', 'Try again.')
const refusal = new Fault('failed_precondition', 'production_switch', 'The gate is closed.')

test('an outage is retried with growing waits, until the last attempt', () => {
  const first = afterFailure(away, 1)
  const third = afterFailure(away, 3)
  expect([first, third]).toEqual([
    { kind: 'retry', inMs: 1_000 },
    { kind: 'retry', inMs: 4_000 },
  ])
  expect(afterFailure(away, attemptsMax)).toEqual({ kind: 'give_up' })
})

test('a refusal and a bug are not retried', () => {
  expect(afterFailure(refusal, 1)).toEqual({ kind: 'refuse' })
  expect(afterFailure(new Error('a bug'), 1)).toEqual({ kind: 'give_up' })
})

test('a caller gets the original refusal, and no detail of a bug', () => {
  expect(errorOf(failureOf(refusal))).toMatchObject({
    code: 'failed_precondition',
    reason: 'production_switch',
    message: 'The gate is closed.',
  })
  const internal = errorOf(failureOf(new Error('duplicate key (ada@example.org)')))
  expect(internal).not.toBeInstanceOf(Fault)
  expect(internal.message).not.toContain('ada')
})
