import { describe, expect, test } from '@jest/globals'
import type { CallResult } from '@lettergate/http'
import { classify } from './classify.ts'

const now = new Date('2026-11-21T12:00:00Z')
const answered = (status: number, body = '', headers: Record<string, string> = {}, truncated = false): CallResult => ({
  kind: 'answered',
  status,
  headers,
  body: Buffer.from(body),
  truncated,
})
const id = '{"id":"<20261121.abc@mail.acme.test>","message":"Queued. Thank you."}'

describe('only a proof of acceptance counts as accepted', () => {
  test('a readable 200 is accepted, with its id without angle brackets', () => {
    expect(classify(answered(200, id), now)).toEqual({
      kind: 'accepted',
      providerMessageId: '20261121.abc@mail.acme.test',
    })
  })

  test.each([
    ['an empty body', answered(200)],
    ['no JSON', answered(200, '<html>')],
    ['no id', answered(200, '{"message":"Queued"}')],
    ['an empty id', answered(200, '{"id":""}')],
    ['an id that is no text', answered(200, '{"id":7}')],
    ['JSON that is no object', answered(200, 'null')],
    ['a cut body', answered(200, id, {}, true)],
  ])('a 200 with %s is unknown', (_, result) => expect(classify(result, now)).toMatchObject({ kind: 'unknown' }))

  test.each([201, 202, 204, 301, 302, 408, 500, 502, 503, 504, 520])('status %d is unknown', (status) => {
    expect(classify(answered(status, id), now)).toEqual({ kind: 'unknown', reason: `status_${status}` })
  })

  test('a call that the provider may have read is unknown', () => {
    expect(classify({ kind: 'ambiguous', error: new Error('reset') }, now)).toEqual({
      kind: 'unknown',
      reason: 'no_answer',
    })
  })
})

describe('only a proof of the contrary counts as not accepted', () => {
  test('a call without any byte sent may be made again', () => {
    expect(classify({ kind: 'not_sent', error: new Error('refused') }, now)).toMatchObject({
      kind: 'not_accepted',
      cause: 'unreachable',
    })
  })

  test.each([
    ['30', 30_000],
    ['Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['soon', 0],
    ['99999999', 24 * 3_600_000],
  ])('429 with Retry-After %s waits %d ms', (header, retryAfterMs) => {
    expect(classify(answered(429, '', { 'retry-after': header }), now)).toMatchObject({
      kind: 'not_accepted',
      cause: 'rate_limited',
      retryAfterMs,
    })
  })

  test.each([401, 402])('status %d concerns the credential', (status) => {
    expect(classify(answered(status), now)).toMatchObject({ kind: 'not_accepted', cause: 'credential_refused' })
  })

  test.each([403, 404])('status %d concerns the domain', (status) => {
    expect(classify(answered(status), now)).toMatchObject({ kind: 'not_accepted', cause: 'domain_refused' })
  })

  test.each([400, 405, 413, 422])('status %d fails these messages permanently', (status) => {
    expect(classify(answered(status), now)).toEqual({ kind: 'refused', reason: `status_${status}` })
  })
})
