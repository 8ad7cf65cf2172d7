import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { newsletter } from '@lettergate/gateway/test/gateway-stage'
import { testingStage, type ApiTestingStage } from './testing-services.ts'

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const consoleOf = (workspace: string) => workspace.replace('/api/v1', '/console/api')
const product = newsletter.replace('newsletter', 'product')

let gateway: ApiTestingStage
let owner: Browser
let heard: { headers: Record<string, unknown>; body: Record<string, unknown> }[]
let url: string
let status = 200
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    heard.push({
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>,
    })
    response.writeHead(status).end()
  })
})
beforeAll(async () => {
  heard = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  gateway = await testingStage()
  owner = await signIn(gateway, 'owner')
})
afterAll(async () => {
  await gateway.close()
  server.closeAllConnections()
  server.close()
})

const put = (body: object, as = 'admin', workspace = newsletter) =>
  gateway.call('PUT', `${workspace}/campaign-webhook`, { as, body })
const get = (as = 'analyst', workspace = newsletter) => gateway.call('GET', `${workspace}/campaign-webhook`, { as })

test('a webhook is set, read without its secret, changed in parts and cleared; a repeat changes nothing', async () => {
  expect((await get()).json).toEqual({ campaign_webhook: { url: null, secret_set: false } })
  const body = { campaign_webhook_url: url, campaign_webhook_secret: secret }
  for (let n = 0; n < 2; n += 1) {
    const { status: answered, json, text } = await put(body)
    expect([answered, json]).toEqual([200, { campaign_webhook: { url, secret_set: true } }])
    expect(text).not.toContain('whsec')
  }
  expect((await put({})).json).toEqual({ campaign_webhook: { url, secret_set: true } })
  expect((await put({ campaign_webhook_url: `${url}?v=2` })).json).toEqual({
    campaign_webhook: { url: `${url}?v=2`, secret_set: true },
  })
  expect((await put({ campaign_webhook_secret: null })).json).toEqual({
    campaign_webhook: { url: `${url}?v=2`, secret_set: false },
  })
  expect((await put({ campaign_webhook_url: null })).json).toEqual({
    campaign_webhook: { url: null, secret_set: false },
  })
  expect((await get('owner', product)).json).toEqual({ campaign_webhook: { url: null, secret_set: false } })
})

describe('invalid requests', () => {
  test.each([
    [{ campaign_webhook_url: 'nonsense' }, 'campaign_webhook_url'],
    [{ campaign_webhook_url: 'ftp://hooks.example.com/' }, 'campaign_webhook_url'],
    [
      { campaign_webhook_url: 'https://a:b@hooks.example.com/' },
      'campaign_webhook_url must be an http or https URL without a user or password',
    ],
    [{ campaign_webhook_url: 7 }, 'campaign_webhook_url'],
    [{ campaign_webhook_secret: 'whsec_short' }, 'campaign_webhook_secret'],
    [{ campaign_webhook_secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, 'campaign_webhook_secret'],
    [{ campaign_webhook_secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, 'campaign_webhook_secret'],
    [{ campaign_webhook_secret: secret.slice(6) }, 'campaign_webhook_secret'],
  ])('%j names the field and does not show the secret', async (body, field) => {
    const { status: answered, text } = await put(body)
    expect(answered).toBe(422)
    expect(text).toContain(field)
    expect(text).not.toContain('whsec_AAA')
  })

  test('an editor cannot set it; a user of another workspace gets 404', async () => {
    expect((await put({ campaign_webhook_url: url }, 'editor')).status).toBe(403)
    expect((await put({ campaign_webhook_url: url }, 'outsider')).status).toBe(404)
    expect((await get('outsider')).status).toBe(404)
  })
})

test('a user posts a test from the console and sees the answer of the receiver', async () => {
  const path = `${consoleOf(newsletter)}/campaign-webhook`
  await put({ campaign_webhook_url: null, campaign_webhook_secret: null })
  expect((await owner.call('POST', `${path}/test`)).status).toBe(422)
  await put({ campaign_webhook_url: url, campaign_webhook_secret: secret })
  const made = await owner.call('POST', `${path}/test`)
  expect(made.status).toBe(200)
  expect(made.json).toMatchObject({
    delivery: { type: 'campaign_webhook.test', state: 'delivered', attempts: [{ status: 200, error: null }] },
  })
  expect(heard.at(-1)!.headers).toMatchObject({
    'webhook-id': (made.json['delivery'] as { id: string }).id,
    'webhook-signature': expect.stringMatching(/^v1,/),
  })
  status = 500
  expect((await owner.call('POST', `${path}/test`)).json).toMatchObject({
    delivery: { state: 'failed', failure_reason: 'status_500', next_attempt_at: null },
  })
  status = 200
  const { json } = await owner.call('GET', `${path}/deliveries?limit=1`)
  expect(json).toMatchObject({
    deliveries: [{ state: 'failed' }],
    next_cursor: expect.any(String),
    webhook_state: { is_active: true, disabled_at: null },
  })
  expect((await owner.call('GET', `${path}/deliveries?limit=0`)).status).toBe(422)
  const theirs = await owner.call('GET', `${consoleOf(product)}/campaign-webhook/deliveries`)
  expect(theirs.json).toMatchObject({ deliveries: [], webhook_state: { is_active: false } })
})

test('events about people are off, are chosen at the console by who may manage senders, and hold for one workspace', async () => {
  const path = `${consoleOf(newsletter)}/campaign-webhook/person-events`
  const analyst = await signIn(gateway, 'analyst')
  const chosen = async (at = path) => (await owner.call('GET', at)).json
  expect(await chosen()).toEqual({ enabled: false })
  expect((await analyst.call('PUT', path, { body: { enabled: true } })).status).toBe(403)
  for (const body of [{}, { enabled: 'yes' }, { enabled: null }])
    expect((await owner.call('PUT', path, { body })).status).toBe(422)
  expect(await chosen()).toEqual({ enabled: false })
  expect(await owner.call('PUT', path, { body: { enabled: true } })).toMatchObject({
    status: 200,
    json: { enabled: true },
  })
  expect((await analyst.call('GET', path)).json).toEqual({ enabled: true })
  expect(await chosen(`${consoleOf(product)}/campaign-webhook/person-events`)).toEqual({ enabled: false })
  expect((await owner.call('PUT', path, { body: { enabled: false } })).json).toEqual({ enabled: false })
})

test('the receiver gets a run with the same JSON as the API answers', async () => {
  await put({ campaign_webhook_url: url, campaign_webhook_secret: secret })
  const [row] = await gateway.stage.query<{ workspace_id: string }>(
    'select workspace_id from campaigns.content_versions where id = $1',
    [gateway.contentVersionId],
  )
  // A run in its state after scheduling; other tests cover its sending.
  const ids = ['0190a3a0-0000-7000-8000-00000000000a', '0190a3a0-0000-7000-8000-00000000000b']
  await gateway.stage.query(
    `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'scheduled', 1, 'test')`,
    [row!.workspace_id, ids[0]],
  )
  await gateway.stage.query(
    `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, excluded_count, exclusion_counts, scheduled_by, correlation_id)
     values ($1, $2, $3, $2, $4, $5, 'building', now() + interval '1 day', 3, 1, '{"suppressed_workspace": 1}', 'test', 'test-test')`,
    [row!.workspace_id, ids[1], ids[0], gateway.contentVersionId, gateway.senderId],
  )
  await gateway.stage.query(`update campaigns.campaign_runs set state = 'scheduled' where id = $1`, [ids[1]])
  const told = await until(async () => heard.find(({ body }) => (body['data'] as { id?: string }).id === ids[1]))
  const shown = await gateway.call('GET', `${newsletter}/campaign-runs/${ids[1]}`, { as: 'analyst' })
  expect(told.body).toEqual({
    type: 'campaign_run.scheduled',
    timestamp: expect.any(String),
    data: shown.json['campaign_run'],
  })
})
