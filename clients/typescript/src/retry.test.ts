import { expect, test } from '@jest/globals'
import type { Failure } from './result.ts'
import { waitBeforeRetry } from './retry.ts'
import type { Route } from './route.ts'

const read: Route = { method: 'GET', path: '/x' }
const write: Route = { method: 'POST', path: '/x' }
const keyed: Route = { method: 'POST', path: '/x', takesKey: true }
const failure = (status: number, more: Partial<Failure> = {}): Failure => ({
  ok: false,
  status,
  reason: 'x',
  message: 'x',
  correlationId: 'x',
  ...more,
})
const limits = { attempt: 1, attemptsMax: 4, waitMsMax: 20_000, random: 0.5 }

test.each([
  ['read', read, [0, 408, 429, 500, 503]],
  ['change with an idempotency key', keyed, [0, 408, 429, 500, 503]],
  ['change without one', write, [429]],
] as const)('a %s is repeated only after the statuses that allow it', (_, route, statuses) => {
  const all = [0, 200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 501, 502, 503]
  expect(all.filter((status) => waitBeforeRetry(route, failure(status), limits) !== undefined)).toEqual(statuses)
})

test('the wait doubles, and Retry-After is kept when it is short enough', () => {
  expect([1, 2, 3, 4].map((attempt) => waitBeforeRetry(read, failure(503), { ...limits, attempt }))).toEqual([
    250,
    500,
    1_000,
    undefined,
  ])
  expect(waitBeforeRetry(read, failure(429, { retryAfter: 20 }), limits)).toBe(20_000)
  expect(waitBeforeRetry(read, failure(429, { retryAfter: 21 }), limits)).toBeUndefined()
})

test('a bug is tried once more, and a cancelled call never', () => {
  expect(waitBeforeRetry(read, failure(500), { ...limits, attempt: 2 })).toBeUndefined()
  expect(waitBeforeRetry(read, failure(0, { reason: 'cancelled' }), limits)).toBeUndefined()
})
