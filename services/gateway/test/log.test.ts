import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { linesOf } from '@lettergate/stage/log-lines'
import { signIn } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { audience, subscriber } from './people-and-senders.ts'
import { credentialedSource, grantFor, handIn, signUp } from './subscription-sources.ts'

let gateway: GatewayStage
let lines: string[]
beforeAll(async () => {
  gateway = await gatewayStage()
  lines = linesOf(gateway.service)
})
afterAll(() => gateway.close())

test('a request is one line with route, status, actor and reason, and never a token, a key, an address or a path of a link', async () => {
  const { token } = await subscriber(gateway, await audience(gateway))
  const browser = await signIn(gateway, 'editor')
  await gateway.call('GET', `/preferences/${token}`)
  await gateway.call('GET', `${newsletter}/contacts/lookup?email=person%40secret.test`, { as: 'analyst' })
  await gateway.call('POST', `${newsletter}/contacts/upsert`, {
    as: 'analyst',
    body: { email: 'person@secret.test' },
    headers: { 'x-correlation-id': 'find-this-line' },
  })
  await gateway.call('GET', '/api/v1/me', { headers: { 'x-api-key': 'guessed-service-key', 'x-user-id': 'editor' } })
  await browser.call('GET', '/api/v1/me')
  const all = lines.join('')
  for (const secret of [
    token,
    'person@secret.test',
    'person%40secret.test',
    'wallet-session-dev',
    'guessed-service-key',
    browser.cookie.slice(8),
    browser.csrfToken,
  ]) {
    expect(all).not.toContain(secret)
  }
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line['msg'] === 'request')
  expect(requests.find((line) => line['correlation_id'] === 'find-this-line')).toMatchObject({
    method: 'POST',
    route: '/api/v1/organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/upsert',
    status: 403,
    actor: 'analyst',
    reason: 'upsert_contacts',
  })
  expect(requests.map((line) => line['route'])).toContain('/preferences/{token}')
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.healthPort}/metrics`)).text()
  expect(metrics).toMatch(/lettergate_gateway_refusals_total\{status="403",reason="upsert_contacts"[^}]*\} 1/)
  expect(metrics).toMatch(/lettergate_http_seconds_count\{.*method="GET",route="\/preferences\/\{token\}",status="200"/)
})

test('only the answer has a field name that the caller chose, not the log', async () => {
  const source = await credentialedSource(await signIn(gateway, 'admin'))
  const send = (body: object, correlationId: string) =>
    handIn(gateway, source.slug, {
      token: source.credential,
      body,
      key: 'named-by-callers',
      headers: { 'x-correlation-id': correlationId },
    })
  const known = signUp(await audience(gateway))
  for (const [name, correlationId] of [
    ['ada@secret.test', 'unknown-field'],
    ['z'.repeat(500_000), 'endless-field'],
  ] as const) {
    const answer = await send({ ...known, [name]: 1 }, correlationId)
    expect(answer.status).toBe(422)
  }
  await gateway.call('POST', `${newsletter}/contacts/upsert`, {
    as: 'editor',
    body: { email: 'a@b.test', source: 's', 'bob@secret.test': '\u0000' },
    headers: { 'x-correlation-id': 'unsafe-field' },
  })
  const mine = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => ['unknown-field', 'endless-field', 'unsafe-field'].includes(String(line['correlation_id'])))
    .filter((line) => line['msg'] === 'request')
  expect(mine.map((line) => line['reason'])).toEqual(['field', 'field', 'field'])
  expect(lines.join('')).not.toContain('@secret.test')
})

test('the log line of a source request names the source of a grant, and never has a credential, its hash or an address', async () => {
  const admin = await signIn(gateway, 'admin')
  const source = await credentialedSource(admin)
  const grant = await grantFor(gateway, source.id, 'events.write')
  const body = { ...signUp(await audience(gateway)), contact: { email: 'grace@secret.test' } }
  const send = (token: string, correlationId: string) =>
    handIn(gateway, source.slug, { token, body, key: 'a-secret-key', headers: { 'x-correlation-id': correlationId } })
  await send(source.credential, 'with-credential')
  await send(grant, 'with-a-grant')
  await send('lgs_guessed-credential', 'with-a-guess')
  const all = lines.join('')
  for (const secret of [source.credential, grant, 'guessed-credential', 'grace@secret.test', 'a-secret-key'])
    expect(all).not.toContain(secret)
  expect(all).not.toContain(createHash('sha256').update(source.credential).digest('hex'))
  const lineOf = (correlationId: string) =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line['msg'] === 'request' && line['correlation_id'] === correlationId)
  const inWorkspace = { workspace_id: expect.any(String) }
  expect(lineOf('with-credential')).toMatchObject({ status: 200, actor: 'source', ...inWorkspace })
  expect(lineOf('with-a-grant')).toMatchObject({ status: 200, actor: source.id, ...inWorkspace })
  expect(lineOf('with-a-guess')).toMatchObject({ status: 401, actor: 'source', reason: 'credential' })
})
