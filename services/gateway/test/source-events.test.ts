import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { audience } from './people-and-senders.ts'
import { createSource, grantFor, handIn, signUp, type SignUp, type Source } from './subscription-sources.ts'

/** The request of a sign-up, with each limit of the specification. */

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

const send = (body: unknown, more: object = {}) => handIn(gateway, source.slug, { token, body, ...more })

type Steps = readonly string[]
const put = (body: SignUp, path: Steps, value: unknown): SignUp => {
  const copy = structuredClone(body) as unknown as Record<string, unknown>
  const last = path.at(-1)!
  const holder = path.slice(0, -1).reduce((inner, step) => inner[step] as Record<string, unknown>, copy)
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy as unknown as SignUp
}
const steps = (field: string): Steps => field.split('.')

const uuid = '0190a3a0-0000-7000-8000-00000000000a'
const taken: [string, unknown][] = [
  ...['contact.first_name', 'contact.last_name'].flatMap((field): [string, unknown][] => [
    [field, 'é'.repeat(160)],
    [field, ''],
  ]),
  ['contact.locale', 'l'.repeat(40)],
  ...['consent.wording_id', 'consent.privacy_policy_version', 'source.form_id', 'source.form_version'].map(
    (field): [string, unknown] => [field, 'x'.repeat(160)],
  ),
  ['consent.wording_sha256', '0123456789abcdef'.repeat(4)],
  ['consent.privacy_policy_url', 'https://acme.test/privacy?version=3#consent'],
  ['source.page_origin', 'https://WWW.acme.test:443'],
  ['source.popup_campaign_id', uuid],
  ['source.popup_campaign_id', null],
  ['source.popup_version', 1],
  ['source.popup_version', Number.MAX_SAFE_INTEGER],
  ['source.popup_version', null],
  ['source.attribution', { utm_source: 'x', nested: { list: [1, null, true] } }],
  ['source.attribution', {}],
  ['source.page_path', '/offers?x=1'],
  ['source.something_else', 'ignored'],
  ['contact.company', 'ignored'],
  ['consent.something_else', 'ignored'],
  ['captured_at', '2026-01-31T09:00:00+02:00'],
]

const refused: [string, unknown][] = [
  ['contact.first_name', 'x'.repeat(161)],
  ['contact.last_name', 'x'.repeat(161)],
  ['contact.first_name', 7],
  ['contact.locale', 'l'.repeat(41)],
  ['contact.email', 'no address'],
  ['contact.email', ''],
  ['contact.email', null],
  ['consent.wording_id', 'x'.repeat(161)],
  ['consent.wording_id', ''],
  ['consent.wording_sha256', 'a'.repeat(63)],
  ['consent.wording_sha256', 'a'.repeat(65)],
  ['consent.wording_sha256', 'A'.repeat(64)],
  ['consent.wording_sha256', 'g'.repeat(64)],
  ['consent.wording_sha256', `${'a'.repeat(64)}\n`],
  ['consent.privacy_policy_url', 'privacy'],
  ['consent.privacy_policy_url', 'javascript:alert(1)'],
  ['consent.privacy_policy_version', 'x'.repeat(161)],
  ['source.form_id', 'x'.repeat(161)],
  ['source.form_version', 'x'.repeat(161)],
  ['source.page_origin', 'www.acme.test'],
  ['source.evidence_schema_version', 'app.newsletter-consent-capture.v2'],
  ['source.popup_campaign_id', 'popup'],
  ['source.popup_version', 0],
  ['source.popup_version', -1],
  ['source.popup_version', 1.5],
  ['source.popup_version', '1'],
  ['source.popup_version', 2 ** 53],
  ['source.popup_version', 1e300],
  ['source.attribution', 'utm'],
  ['source.attribution', [1]],
  ['source.page_path', 5],
  ['consent_granted', false],
  ['consent_granted', 'true'],
  ['consent_granted', 1],
  ['schema_version', 'service.subscription-source-event.v2'],
  ['source_event_id', 'one'],
  ['destination_audience_id', 'news'],
  ['captured_at', 'yesterday'],
  ['captured_at', '2035-02-30T10:00:00Z'],
  ['captured_at', '2026-01-31T09:00:00'],
  ['contact', null],
  ['contact', 'ada@b.test'],
  ['consent', []],
  ['source', true],
  ['presented', { permissions: ['events.write'] }],
  ['source_slug', 'another'],
  ['idempotency_key', 'mine'],
  ['workspace_id', uuid],
]

const required = [
  'schema_version',
  'source_event_id',
  'destination_audience_id',
  'contact',
  'consent_granted',
  'captured_at',
  'consent',
  'source',
  'contact.email',
  ...['wording_id', 'wording_sha256', 'privacy_policy_url', 'privacy_policy_version'].map((name) => `consent.${name}`),
  ...['form_id', 'form_version', 'page_origin', 'evidence_schema_version'].map((name) => `source.${name}`),
]

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 40)

describe('the body of a sign-up', () => {
  test.each(taken.map(([field, value]) => [field, shown(value), value] as const))(
    '%s may be %s',
    async (field, _, value) => {
      const { status, json } = await send(put(signUp(audienceId), steps(field), value))
      expect(status).toBe(200)
      expect(json['status']).toBe('accepted')
    },
  )

  test.each(refused.map(([field, value]) => [field, shown(value), value] as const))(
    '%s must not be %s, and the refusal names it',
    async (field, _, value) => {
      const body = put(signUp(audienceId), steps(field), value)
      const { status, text, headers } = await send(body)
      expect(status).toBe(422)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(text).toContain(field)
      const sent = body.contact as Record<string, unknown> | null
      if (typeof sent?.['email'] === 'string' && sent['email'].startsWith('grace')) expect(text).not.toContain('grace.')
    },
  )

  test.each(required)('%s is required', async (field) => {
    const { status, text } = await send(put(signUp(audienceId), steps(field), undefined))
    expect(status).toBe(422)
    expect(text).toContain(`${field} is required`)
  })

  test('all problems are named together', async () => {
    const { status, text } = await send({ consent_granted: false, extra: 1 })
    expect(status).toBe(422)
    for (const words of ['consent_granted must be true', 'extra is not a field', 'contact is required'])
      expect(text).toContain(words)
  })

  test('a time more than five minutes ahead is 422, and a little clock drift is accepted', async () => {
    const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    const late = await send(put(signUp(audienceId), ['captured_at'], ahead(7)))
    expect(late.status).toBe(422)
    expect(late.text).toContain('captured_at')
    expect((await send(put(signUp(audienceId), ['captured_at'], ahead(3)))).status).toBe(200)
  })

  test.each([
    ['no JSON', 400, '{', 'application/json'],
    ['a list', 422, '[]', 'application/json'],
    ['a form', 415, 'email=a', 'application/x-www-form-urlencoded'],
    ['more than 1 MiB', 413, JSON.stringify({ padding: 'x'.repeat(1_048_576) }), 'application/json'],
  ])('%s is %i', async (_, status, body, type) => {
    expect((await send(body, { headers: { 'content-type': type } })).status).toBe(status)
  })
})

describe('the Idempotency-Key', () => {
  test.each([
    ['missing', null],
    ['empty', ''],
    ['of 201 characters', 'k'.repeat(201)],
  ])('%s is 422', async (_, key) => {
    const { status, text } = await send(signUp(audienceId), { key })
    expect(status).toBe(422)
    expect(text).toContain('Idempotency-Key')
  })

  test.each([
    ['1 character', 'k'],
    ['200 characters', 'k'.repeat(200)],
  ])('may have %s', async (_, key) => {
    expect((await send(signUp(audienceId), { key })).status).toBe(200)
  })

  test('replays the original receipt, and is 409 with another payload', async () => {
    const body = signUp(audienceId)
    const first = await send(body, { key: 'once' })
    expect(first.json).toMatchObject({ status: 'accepted', original_status: null })
    const again = await send(body, { key: 'once', headers: { 'x-correlation-id': 'second-time' } })
    expect(again.status).toBe(200)
    expect(again.json).toEqual({
      ...first.json,
      status: 'duplicate',
      original_status: 'accepted',
      correlation_id: 'second-time',
    })
    const changed = await send(put(body, ['contact', 'first_name'], 'Grace'), { key: 'once' })
    expect(changed.status).toBe(409)
    expect(changed.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('of one source can be used by another source', async () => {
    const body = signUp(audienceId)
    const other = await createSource(gateway)
    const otherToken = await grantFor(gateway, other.id, 'events.write')
    expect((await send(body, { key: 'shared' })).json['status']).toBe('accepted')
    const { json } = await handIn(gateway, other.slug, { token: otherToken, body: signUp(audienceId), key: 'shared' })
    expect(json['status']).toBe('accepted')
  })
})

test('of eight concurrent copies one is accepted', async () => {
  const body = signUp(audienceId)
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(body, { key: 'at-once' })))
  expect(answers.map(({ json }) => json['status']).filter((status) => status === 'accepted')).toHaveLength(1)
  expect(answers.map(({ json }) => json['status']).filter((status) => status === 'duplicate')).toHaveLength(7)
  expect(new Set(answers.map(({ json }) => json['receipt_id'])).size).toBe(1)
})
