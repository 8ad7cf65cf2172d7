import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { nasty } from '@lettergate/gateway/test/fuzz-inputs'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { testingStage, type ApiTestingStage } from './testing-services.ts'

let gateway: ApiTestingStage
let analyst: Browser
beforeAll(async () => {
  gateway = await testingStage()
  analyst = await signIn(gateway, 'analyst')
})
afterEach(async () => {
  await gateway.sim('PUT', '/faults', { mode: 'none' })
  await gateway.stage.query('delete from campaigns.connection_holds')
})
afterAll(() => gateway.close())

const product = newsletter.replace('newsletter', 'product')
const console_ = newsletter.replace('/api/v1', '/console/api')
const confirmations = { '/test-sends': 'SEND TEST EMAIL', '/rehearsals': 'RUN CONTROLLED REHEARSAL' } as const

const bodyFor = (path: keyof typeof confirmations, more: object = {}) => ({
  sender_identity_id: gateway.senderId,
  content_version_id: gateway.contentVersionId,
  recipient_email: `r-${randomUUID()}@example.org`,
  confirmation: confirmations[path],
  ...more,
})

interface Asked {
  more?: object
  key?: string | undefined
  as?: string
  workspace?: string
}

const ask = (path: keyof typeof confirmations, { more, key = randomUUID(), as = 'editor', workspace }: Asked = {}) =>
  gateway.call('POST', `${workspace ?? newsletter}${path}`, {
    as,
    body: bodyFor(path, more),
    headers: key === '' ? {} : { 'idempotency-key': key },
  })
const testSendOf = (json: Record<string, unknown>) => json['test_send'] as Record<string, unknown>
const rehearsalOf = (json: Record<string, unknown>) => json['rehearsal'] as Record<string, unknown> & { id: string }
const getRehearsal = (id: string, as = 'analyst', workspace = newsletter) =>
  gateway.call('GET', `${workspace}/rehearsals/${id}`, { as })

test('an editor sends a test and a replay of the key answers the original', async () => {
  const key = randomUUID()
  const more = { recipient_email: `anna-${randomUUID()}@example.org` }
  const first = await ask('/test-sends', { key, more })
  expect(first.status).toBe(200)
  expect(testSendOf(first.json)).toEqual({
    id: expect.any(String),
    state: 'accepted',
    sender_identity_id: gateway.senderId,
    content_version_id: gateway.contentVersionId,
    recipient_email: more.recipient_email,
    attempt_count: 1,
    provider_message_id: expect.any(String),
  })
  const again = await ask('/test-sends', { key, more })
  expect([again.status, testSendOf(again.json)['id']]).toEqual([200, testSendOf(first.json)['id']])
  expect((await ask('/test-sends', { key })).status).toBe(409)
  const { messages } = await gateway.sim('GET', `/messages?to=${encodeURIComponent(more.recipient_email)}`)
  expect(messages).toHaveLength(1)
})

test('a rehearsal is verified over HTTP by the events that come back', async () => {
  const made = await ask('/rehearsals')
  expect(made.status).toBe(200)
  const { id } = rehearsalOf(made.json)
  const verified = await until(async () => {
    const { json } = await getRehearsal(id)
    return rehearsalOf(json)['state'] === 'verified' ? rehearsalOf(json) : undefined
  })
  expect(verified).toEqual({
    id,
    test_send_request_id: expect.any(String),
    state: 'verified',
    event_counts: { accepted: 1, delivered: 1, failed: 0, opened: 0, clicked: 0, unsubscribed: 0, complained: 0 },
    reconciliation: {
      expected: ['accepted', 'delivered'],
      received: ['accepted', 'delivered'],
      missing: [],
      duplicates: 0,
      signature_failures: 0,
      deadline_at: expect.any(String),
      failure_reason: null,
    },
    created_at: expect.any(String),
    verified_at: expect.any(String),
  })
  expect((await getRehearsal(id, 'owner', product)).status).toBe(404)
  expect((await getRehearsal(id, 'outsider')).status).toBe(404)
  expect((await getRehearsal('no-id')).status).toBe(404)
})

describe('the result shows the behaviour of the provider', () => {
  test.each([
    ['rate_limit', 'failed', 'failed'],
    ['server_error', 'queued', 'pending'],
    ['timeout', 'queued', 'pending'],
  ])('%s', async (mode, testSend, rehearsal) => {
    await gateway.sim('PUT', '/faults', { mode })
    const sent = await ask('/test-sends')
    expect([sent.status, testSendOf(sent.json)['state']]).toEqual([200, testSend])
    await gateway.stage.query('delete from campaigns.connection_holds')
    const rehearsed = await ask('/rehearsals')
    expect([rehearsed.status, rehearsalOf(rehearsed.json)['state']]).toEqual([200, rehearsal])
  })

  test('reset_after_accept: the events verify it, and there is one message', async () => {
    await gateway.sim('PUT', '/faults', { mode: 'reset_after_accept' })
    const more = { recipient_email: `reset-${randomUUID()}@example.org` }
    const { id } = rehearsalOf((await ask('/rehearsals', { more })).json)
    await gateway.sim('PUT', '/faults', { mode: 'none' })
    await until(async () => rehearsalOf((await getRehearsal(id)).json)['state'] === 'verified')
    const { messages } = await gateway.sim('GET', `/messages?to=${encodeURIComponent(more.recipient_email)}`)
    expect(messages).toHaveLength(1)
  })

  test('a hard bounce fails the rehearsal', async () => {
    const more = { recipient_email: `b-${randomUUID()}+hardbounce@example.org` }
    const { id } = rehearsalOf((await ask('/rehearsals', { more })).json)
    const failed = await until(async () => {
      const rehearsal = rehearsalOf((await getRehearsal(id)).json)
      return rehearsal['state'] === 'failed' ? rehearsal : undefined
    })
    expect(failed).toMatchObject({ reconciliation: { failure_reason: 'hard_bounced' }, verified_at: null })
  })
})

test('no value of any field is answered with a 5xx, and none of them sends anything', async () => {
  const { message_calls: calls } = await gateway.sim('GET', '/stats')
  const fields = ['sender_identity_id', 'content_version_id', 'recipient_email', 'confirmation']
  const values = [...nasty, 0, 1e308, null, true, [], {}, ['x'], { $ne: 1 }]
  for (const path of ['/test-sends', '/rehearsals'] as const)
    for (const field of fields)
      for (const value of values) {
        const { status } = await ask(path, { more: { [field]: value } })
        expect({ field, value, status: [400, 422].includes(status) }).toEqual({ field, value, status: true })
      }
  for (const key of ['é'.repeat(20), ' '.repeat(20), '\u007f'.repeat(20), `${'k'.repeat(30)}, second`])
    expect((await ask('/test-sends', { key, more: { confirmation: '' } }).catch(() => ({ status: 422 }))).status).toBe(
      422,
    )
  expect((await gateway.sim('GET', '/stats'))['message_calls']).toBe(calls)
})

test('the console lists both newest first, in pages, with the remaining quota', async () => {
  const ids = [rehearsalOf((await ask('/rehearsals')).json).id, rehearsalOf((await ask('/rehearsals')).json).id]
  const first = await analyst.call('GET', `${console_}/rehearsals?limit=1`)
  const next = await analyst.call('GET', `${console_}/rehearsals?limit=1&cursor=${first.json['next_cursor'] as string}`)
  expect([first, next].map(({ json }) => (json['rehearsals'] as { id: string }[])[0]!.id)).toEqual(ids.toReversed())
  const sends = await analyst.call('GET', `${console_}/test-sends?limit=2`)
  expect(sends.status).toBe(200)
  expect(sends.json['test_sends']).toMatchObject([{ purpose: 'rehearsal' }, { purpose: 'rehearsal' }])
  const [counted] = await gateway.stage.query<{ n: number }>('select count(*)::int as n from campaigns.test_sends')
  expect(sends.json['caps']).toEqual({
    hourly_cap: 60,
    hourly_left: 60 - counted!.n,
    daily_cap: 100,
    daily_left: 100 - counted!.n,
  })
  expect((await analyst.call('GET', `${console_}/test-sends?cursor=x`)).status).toBe(422)
})
