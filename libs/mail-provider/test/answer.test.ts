import { describe, expect, test } from '@jest/globals'
import type { CallResult } from '@lettergate/http'
import { jsonOf, problemOf, retryAfterMs } from '@lettergate/mail-provider/answer'

const answered = (status: number, body = '{}', more: { headers?: Record<string, string>; truncated?: boolean } = {}) =>
  ({
    kind: 'answered',
    status,
    headers: more.headers ?? {},
    body: Buffer.from(body),
    truncated: more.truncated ?? false,
  }) satisfies CallResult

describe('what stood in the way', () => {
  test.each([
    [200, undefined],
    [201, undefined],
    [204, 'unreadable'],
    [301, 'unreadable'],
    [400, 'refused'],
    [401, 'credential_refused'],
    [402, 'credential_refused'],
    [403, 'credential_refused'],
    [404, 'not_found'],
    [408, 'failing'],
    [409, 'refused'],
    [418, 'unreadable'],
    [429, 'rate_limited'],
    [500, 'failing'],
    [503, 'failing'],
    [599, 'failing'],
  ])('%d is %s', (status, problem) => expect(problemOf(answered(status))).toBe(problem))

  test('no answer at all is unreachable, whether it was sent or not, and half an answer is unreadable', () => {
    expect(problemOf({ kind: 'not_sent', error: new Error('refused') })).toBe('unreachable')
    expect(problemOf({ kind: 'ambiguous', error: new Error('reset') })).toBe('unreachable')
    expect(problemOf(answered(200, '{}', { truncated: true }))).toBe('unreadable')
  })
})

test('only a whole JSON object or list is read', () => {
  expect(jsonOf(answered(200, '{"id":"x"}'))).toEqual({ id: 'x' })
  expect(jsonOf(answered(200, '[1]'))).toEqual([1])
  for (const body of ['', '<html>', '"x"', '7', 'null', '{"id":'])
    expect({ body, value: jsonOf(answered(200, body)) }).toEqual({ body, value: undefined })
  expect(jsonOf(answered(200, '{"id":"x"}', { truncated: true }))).toBeUndefined()
  expect(jsonOf({ kind: 'ambiguous', error: new Error('reset') })).toBeUndefined()
})

test.each([
  ['30', 30_000],
  [' 30 ', 30_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
  ['99999999999', 24 * 3_600_000],
  ['Sun, 21 Nov 2100 12:00:00 GMT', 24 * 3_600_000],
])('Retry-After %j asks for %d ms', (header, ms) => {
  const now = new Date('2026-11-21T12:00:00Z')
  expect(retryAfterMs(answered(429, '', { headers: { 'retry-after': header } }), now)).toBe(ms)
})

test('an answer without Retry-After asks for nothing', () => {
  expect(retryAfterMs(answered(429), new Date())).toBe(0)
})
