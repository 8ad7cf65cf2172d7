// This file has over 300 lines because its tests share two started stacks.
import { Client, Metadata, credentials, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openApi, signInAs } from '@lettergate/demo/api'
import type { Stack } from '@lettergate/local/launcher/state'
import { until } from '@lettergate/stage'
import { ownStack, type OwnStack } from './own-stack.ts'
import { runPages } from './run-pages.ts'
import { testUnusedCells } from './unused-cells.ts'

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
let one: OwnStack
let other: OwnStack
let firstOutput: string

beforeAll(async () => {
  one = await ownStack({ LOG_LEVEL: 'debug' })
  other = await ownStack({ TARGET: 'all' })
  ;[firstOutput] = await Promise.all([one.ok('up'), other.ok('up')])
})
afterAll(async () => {
  await Promise.all([one.close(), other.close()])
})

const as = (stack: Stack, who = 'owner') =>
  openApi(stack.base_url, { authorization: `Bearer wallet-session-dev-${who}` })
/** An answer, asked for again if the wallet did not answer the gateway in time. */
const answered = <Answer extends { reason: string }>(ask: () => Promise<Answer>): Promise<Answer> =>
  until(async () => {
    const answer = await ask()
    return answer.reason !== 'wallet' && answer
  })
const hasContact = async (stack: Stack) => {
  const api = as(stack)
  const { status } = await answered(() => api.call('GET', `${workspace}/contacts/lookup?email=only-here@example.org`))
  await api.close()
  return status === 200
}
const pidsOf = (stack: Stack) =>
  Object.fromEntries(stack.processes.map(({ name, role, pid }) => [`${name} ${role}`, pid]))
const portsOf = (stack: Stack) =>
  [...stack.processes.map(({ health_url }) => health_url), stack.base_url, stack.wallet_url, stack.provider_url].map(
    (url) => new URL(url).port,
  )

/** A plain-text gRPC call with a forged role and without a certificate. */
const plainCall = (port: number) =>
  new Promise<number>((resolve) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    const asItIs = (bytes: Buffer) => bytes
    const metadata = new Metadata()
    metadata.set('lettergate-role', 'owner')
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', asItIs, asItIs, Buffer.alloc(0), metadata, (error) => {
      client.close()
      resolve(error?.code ?? status.OK)
    })
  })

test('no service of the stack answers a call without a certificate, and only the stack can read its keys', async () => {
  const { ports } = one.stack()
  const rpcPorts = Object.entries(ports).filter(([name]) => name.endsWith('.rpc'))
  expect(rpcPorts).toHaveLength(8)
  for (const [name, port] of rpcPorts) expect([name, await plainCall(port)]).toEqual([name, status.UNAVAILABLE])
  const directory = join(one.directory, 'certificates')
  const keys = readdirSync(directory).filter((file) => file.endsWith('-key.pem'))
  expect(keys).toHaveLength(8)
  for (const key of keys) expect([key, statSync(join(directory, key)).mode & 0o777]).toEqual([key, 0o600])
})

test('no role of a service logs in to the database of a stack without its password', async () => {
  const url = Object.assign(new URL(one.stack().database_url), { username: 'campaigns', password: 'guessed' })
  const client = new pg.Client({ connectionString: url.href })
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
})

test('stack.json has the addresses of all parts', () => {
  const stack = one.stack()
  expect(stack).toMatchObject({
    base_url: `http://127.0.0.1:${one.port}`,
    console_url: `http://127.0.0.1:${one.port}/console`,
    wallet_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    provider_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    dns: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    database_url: expect.stringMatching(/^postgres:\/\//),
    nats_url: expect.stringMatching(/^nats:\/\//),
  })
  expect(stack.traces_url).toBeUndefined()
  for (const running of stack.processes) {
    expect(running).toEqual({
      name: expect.any(String),
      role: expect.any(String),
      replica: 1,
      pid: expect.any(Number),
      health_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      log: expect.stringContaining(`${one.directory}/logs/`),
    })
  }
  expect(Object.keys(pidsOf(stack)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'automations api',
    'automations worker',
    'campaigns-delivery api',
    'campaigns-delivery worker',
    'contacts-consent service',
    'edge stand-in',
    'gateway service',
    'imports api',
    'imports worker',
    'mail-provider stand-in',
    'nats-streams service',
    'sending-infra service',
    'wallet stand-in',
    'webhook-intake service',
  ])
})

test('with TARGET=all, one process runs every service, and its health port has the checks and metrics of each', async () => {
  const { processes } = other.stack()
  expect(processes.map(({ name }) => name).toSorted()).toEqual([
    'edge',
    'lettergate',
    'mail-provider',
    'nats-streams',
    'wallet',
  ])
  const { health_url: healthUrl } = processes.find(({ name }) => name === 'lettergate')!
  await until(async () => (await fetch(`${healthUrl}/readyz`)).status === 200)
  const answer = await fetch(`${healthUrl}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const metrics = await answer.text()
  expect(metrics).toMatch(/^lettergate_[a-z_]+_total\{/m)
  expect(metrics).not.toContain('_total_total')
  const labelled = [...metrics.matchAll(/service="([a-z-]+)",role="([a-z]+)"/g)].map(
    ([, name, role]) => `${name} ${role}`,
  )
  expect([...new Set(labelled)].toSorted()).toEqual(
    Object.keys(pidsOf(one.stack()))
      .filter((name) => !/stand-in|nats-streams/.test(name))
      .toSorted(),
  )
  expect(metrics.match(/^process_resident_memory_bytes/gm)).toHaveLength(1)
})

test('up prints the addresses', () => {
  const { base_url: baseUrl, wallet_url: walletUrl, provider_url: providerUrl } = one.stack()
  for (const url of [baseUrl, walletUrl, providerUrl]) expect(firstOutput).toContain(url)
})

test('every process is alive and ready, and has metrics', async () => {
  for (const { name, role, health_url: healthUrl } of one.stack().processes) {
    await until(async () => (await fetch(`${healthUrl}/readyz`)).status === 200)
    const answers = await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => fetch(`${healthUrl}${path}`)))
    expect([name, role, ...answers.map(({ status }) => status)]).toEqual([name, role, 200, 200, 200])
    expect(await answers[2]!.text()).toMatch(/^[a-z_]+(\{.*\})? [\d.e+-]+$/m)
  }
  // On a busy machine an answer may be late, and then the process counts as not ready.
  await until(async () => (await one.make('status')).status === 0)
})

test.each([
  ['owner', 200],
  ['admin', 200],
  ['editor', 200],
  ['analyst', 200],
  ['agent', 200],
  ['wsowner', 200],
  ['outsider', 200],
  ['platform', 200],
  ['expired', 401],
])('the seeded token of %s is answered %i', async (who, status) => {
  const api = as(one.stack(), who)
  expect((await answered(() => api.call('GET', '/api/v1/me'))).status).toBe(status)
  await api.close()
})

test('the ceilings of a stack are closed by default', async () => {
  const { base_url: baseUrl } = one.stack()
  const api = openApi(baseUrl, await signInAs('owner', baseUrl))
  const { gates } = await api.ok<{ gates: { name: string; ceiling: boolean | null; effective: boolean }[] }>(
    'GET',
    '/console/api/platform/gates',
  )
  await api.close()
  const withCeiling = gates.filter(({ ceiling }) => ceiling !== null)
  expect(withCeiling.map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'production_sending_enabled',
    'synthetic_rehearsals_enabled',
    'test_sends_enabled',
  ])
  for (const { ceiling, effective } of withCeiling)
    expect({ ceiling, effective }).toEqual({ ceiling: false, effective: false })
})

test('the commands of the how-to pages work on a stack that cannot send, pasted in their order', async () => {
  const names = ['sign-in', 'contacts-and-consent', 'import-contacts', 'sign-up-form', 'automations']
  const pages = ['README', ...names, 'reconstruct-legacy-content'].map((name) => `docs/how-to/${name}.md`)
  expect(await runPages(one, pages)).toMatchObject({ status: 0 })
})

// Here, because a stack of its own would take longer to start than these tests.
testUnusedCells(() => one)

test('two stacks run at the same time, and share nothing', async () => {
  const [mine, theirs] = [one.stack(), other.stack()]
  expect(new Set([...portsOf(mine), ...portsOf(theirs)]).size).toBe(
    new Set(portsOf(mine)).size + new Set(portsOf(theirs)).size,
  )
  expect(mine.database_url).not.toBe(theirs.database_url)
  expect(mine.nats_url).not.toBe(theirs.nats_url)
  const api = as(mine)
  await api.ok('POST', `${workspace}/contacts/upsert`, {
    email: 'only-here@example.org',
    source: 'test',
    source_identifier: 'only-here',
  })
  await api.close()
  expect(await hasContact(mine)).toBe(true)
  expect(await hasContact(theirs)).toBe(false)
})

test('a used port is refused before anything starts, and the message says what to do', async () => {
  const late = await ownStack({ LETTERGATE_PORT: String(one.port) })
  const { status, output } = await late.make('up')
  expect(status).toBe(1)
  expect(output).toContain(`Port ${one.port} is taken`)
  expect(output).toContain('LETTERGATE_PORT=')
  expect(late.running()).toEqual([])
  await late.close()
})

test('up on a running stack changes nothing', async () => {
  const before = pidsOf(one.stack())
  await one.ok('up')
  expect(pidsOf(one.stack())).toEqual(before)
})

test('up starts processes that have died, and no others', async () => {
  const before = pidsOf(one.stack())
  process.kill(before['webhook-intake service']!, 'SIGKILL')
  await one.ok('up')
  const { 'webhook-intake service': started, ...rest } = pidsOf(one.stack())
  const { 'webhook-intake service': killed, ...kept } = before
  expect(rest).toEqual(kept)
  expect(started).not.toBe(killed)
})

test('up with a changed setting restarts the processes that use it, here the one of all services', async () => {
  const { wallet_url: walletUrl, ...before } = other.stack()
  await other.ok('up', {
    TEST_SENDS_ENABLED: 'true',
    TEST_RECIPIENT_ALLOWLIST: '@demo.acme.test',
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    SYNTHETIC_REHEARSALS_ENABLED: 'true',
  })
  const after = other.stack()
  expect(after.wallet_url).toBe(walletUrl)
  expect(pidsOf(after)['lettergate service']).not.toBe(before.processes.find(({ name }) => name === 'lettergate')!.pid)
  const api = openApi(after.base_url, await signInAs('owner', after.base_url))
  const { gates } = await api.ok<{ gates: { name: string; ceiling: boolean | null }[] }>(
    'GET',
    '/console/api/platform/gates',
  )
  await api.close()
  expect(gates.find(({ name }) => name === 'test_sends_enabled')?.ceiling).toBe(true)
})

test('the commands of the how-to pages and of the README work on a stack that can send', async () => {
  const names = ['sign-in', 'contacts-and-consent', 'set-up-sending', 'send-a-test', 'send-a-campaign', 'stop-sending']
  const pages = ['README', ...names, 'campaign-webhook'].map((name) => `docs/how-to/${name}.md`)
  expect(await runPages(other, pages)).toMatchObject({ status: 0 })
  // A newcomer can paste the tour again.
  for (const _time of ['first', 'second'])
    expect(await runPages(other, ['README.md'], '## A tour')).toMatchObject({ status: 0 })
})

test('down stops every process; up then has the data, the addresses and the provider’s domains as before', async () => {
  const before = one.stack()
  const pids = [...before.processes, ...before.infrastructure].map(({ pid }) => pid)
  await fetch(`${before.provider_url}/sim/domains/kept.acme.test`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"state":"active"}',
  })

  await one.ok('down')
  expect(one.running(pids)).toEqual([])
  await expect(fetch(before.base_url)).rejects.toThrow()
  expect((await one.make('status')).status).toBe(1)
  expect((await one.make('down')).status).toBe(0)

  await one.ok('up')
  const after = one.stack()
  const { processes: _was, fingerprints: _had, infrastructure: _ran, ...addresses } = before
  expect(after).toMatchObject(addresses)
  expect(await hasContact(after)).toBe(true)
  const domain = await fetch(`${after.provider_url}/v4/domains/kept.acme.test`, {
    headers: { authorization: `Basic ${btoa('api:dev-api-key')}` },
  })
  expect(domain.status).toBe(200)
})
