import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import {
  createSource,
  grantFor,
  handIn,
  signUp,
  type SignUp,
  type Source,
} from '@lettergate/gateway/test/subscription-sources'

/** A replay has exactly the same JSON as the first sign-up. */

let gateway: GatewayStage
let audienceId: string
let source: Source
let token: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
  source = await createSource(gateway)
  token = await grantFor(gateway, source.id, 'events.write')
})
afterAll(() => gateway.close())

const send = (body: unknown, key?: string) =>
  handIn(gateway, source.slug, { token, body, ...(key === undefined ? {} : { key }) })

const moment = '2026-03-31T09:00:00Z'
/** A sign-up with a value for every field that is written differently below. */
const spelled = (): SignUp => {
  const body = signUp(audienceId)
  return { ...body, captured_at: moment, source: { ...body.source, popup_version: 2, attribution: { a: 1, b: 'é' } } }
}
const inSource = (more: object) => (body: SignUp) => ({ ...body, source: { ...body.source, ...more } })

const others: [string, (body: SignUp) => object][] = [
  ['null where nothing was', inSource({ popup_campaign_id: null })],
  ['a nested key that the contract does not name', inSource({ colour: 'red' })],
  ['another spelling of the moment', (body) => ({ ...body, captured_at: '2026-03-31T09:00:00.000Z' })],
  ['the moment with another offset', (body) => ({ ...body, captured_at: '2026-03-31T11:00:00+02:00' })],
  ['another spelling of the origin', inSource({ page_origin: 'https://WWW.acme.test:443' })],
  ['an event id in capitals', (body) => ({ ...body, source_event_id: String(body.source_event_id).toUpperCase() })],
  ['a blank at the end of a name', (body) => ({ ...body, contact: { ...body.contact, first_name: ' ' } })],
  ['more attribution', inSource({ attribution: { a: 1, b: 'é', c: null } })],
]

test.each(others)(
  '%s makes another payload: 409 under the same key, and under the same source_event_id',
  async (_, change) => {
    const body = spelled()
    const key = randomUUID()
    expect((await send(body, key)).json['status']).toBe('accepted')
    for (const used of [key, undefined]) {
      const { status, text } = await send(change(body), used)
      expect(status).toBe(409)
      expect(text).toContain(used === undefined ? 'source_event_id' : 'Idempotency-Key')
    }
    expect((await send(body, key)).json).toMatchObject({ status: 'duplicate', original_status: 'accepted' })
  },
)

const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, reversed(inner)]),
      )
    : value

const sameness: [string, (body: SignUp) => string][] = [
  ['fields in another order', (body) => JSON.stringify(reversed(body))],
  ['blanks and new lines', (body) => `\n ${JSON.stringify(body, null, '\t')}\r\n`],
  ['a number spelled otherwise', (body) => JSON.stringify(body).replace('"popup_version":2', '"popup_version":2.0')],
  ['a character written as an escape', (body) => JSON.stringify(body).replace('é', '\\u00e9')],
]

test.each(sameness)('%s are the same payload: a duplicate, under the same key and under another', async (_, write) => {
  const body = spelled()
  const key = randomUUID()
  const first = await send(body, key)
  const written = write(body)
  expect(written).not.toBe(JSON.stringify(body))
  for (const used of [key, undefined]) {
    const { status, json } = await send(written, used)
    expect([status, json['status'], json['receipt_id']]).toEqual([200, 'duplicate', first.json['receipt_id']])
  }
})

test('of concurrent copies with different key orders and layouts, under two idempotency keys, one is accepted', async () => {
  const body = spelled()
  const writings = [JSON.stringify(body), ...sameness.map(([, write]) => write(body))]
  const keys = [randomUUID(), randomUUID()]
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => send(writings[n % writings.length]!, keys[n % 2]!)),
  )
  const statuses = answers.map(({ json }) => json['status'])
  expect([statuses.filter((status) => status === 'accepted').length, statuses.length]).toEqual([1, 20])
  expect(new Set(statuses)).toEqual(new Set(['accepted', 'duplicate']))
  expect(new Set(answers.map(({ json }) => json['receipt_id'])).size).toBe(1)
})

describe('a body that is too expensive to compare', () => {
  const depth = 500_000
  const nested = '['.repeat(depth) + ']'.repeat(depth)
  const attribution = (json: string) =>
    JSON.stringify({ ...spelled(), source: { ...spelled().source, attribution: { x: 0 } } }).replace(
      '"x":0',
      `"x":${json}`,
    )

  test.each([
    ['of half a million nested lists', nested],
    ['with as many inside its attribution', attribution('['.repeat(depth - 1_000) + ']'.repeat(depth - 1_000))],
  ])('%s is 422 for the source, and 401 for an unknown credential', async (_, body) => {
    const { status, text } = await send(body)
    expect(status).toBe(422)
    expect(text).toContain('nested deeper than 32 levels')
    expect((await handIn(gateway, source.slug, { token: 'lgs_unknown', body })).status).toBe(401)
  })

  test('with more than 5,000 values is 422 and says so; with fewer it is accepted', async () => {
    const ones = (count: number) => attribution(`[${'1,'.repeat(count - 1)}1]`)
    const { status, text } = await send(ones(5_001))
    expect(status).toBe(422)
    expect(text).toContain('more than 5000 values')
    expect((await send(ones(4_000))).json['status']).toBe('accepted')
  })
})
