import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { afterFailure, attemptsMax, errorOf, failureOf } from './snapshot-failure.ts'

const away = new Fault('unavailable', 'contacts', 'Try again.')
const refusal = new Fault('failed_precondition', 'production_switch', 'The gate is closed.')

test('an outage is waited for, longer each time, and given up after the last attempt', () => {
  const first = afterFailure(away, 1)
  const third = afterFailure(away, 3)
  expect([first, third]).toEqual([
    { kind: 'retry', inMs: 1_000 },
    { kind: 'retry', inMs: 4_000 },
  ])
  expect(afterFailure(away, attemptsMax)).toEqual({ kind: 'give_up' })
})

test('a refusal and a mistake of ours are not tried again', () => {
  expect(afterFailure(refusal, 1)).toEqual({ kind: 'refuse' })
  expect(afterFailure(new Error('a bug'), 1)).toEqual({ kind: 'give_up' })
})

test('a caller hears a refusal as it was, and of a mistake of ours nothing but that there was one', () => {
  expect(errorOf(failureOf(refusal))).toMatchObject({
    code: 'failed_precondition',
    reason: 'production_switch',
    message: 'The gate is closed.',
  })
  const internal = errorOf(failureOf(new Error('duplicate key (ada@example.org)')))
  expect(internal).not.toBeInstanceOf(Fault)
  expect(internal.message).not.toContain('ada')
})
