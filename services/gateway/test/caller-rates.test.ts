import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signIn } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayAnswer, type GatewayStage } from './gateway-stage.ts'
import { timesAsked } from './neighbours.ts'

const product = newsletter.replace('newsletter', 'product')
let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage({
    RATE_LIMIT_CALLER_PER_MINUTE: '20',
    RATE_LIMIT_WORKSPACE_PER_MINUTE: '30',
    RATE_LIMIT_EXPENSIVE_CALLER_PER_MINUTE: '3',
    RATE_LIMIT_EXPENSIVE_WORKSPACE_PER_MINUTE: '5',
  })
})
afterAll(() => gateway.close())

const many = async (count: number, request: () => Promise<GatewayAnswer>) => {
  const answers: GatewayAnswer[] = []
  for (let at = 0; at < count; at += 1) answers.push(await request())
  return answers
}
const statusesOf = (answers: readonly GatewayAnswer[]) => answers.map(({ status }) => status)

function expectTooMany({ status, headers, text }: GatewayAnswer) {
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(text).toContain('Too many requests')
}

const refusals = async (reason: string) => {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.healthPort}/metrics`)).text()
  return Number(
    new RegExp(`^lettergate_gateway_refusals_total\\{.*reason="${reason}".*\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0,
  )
}

test('a caller has a rate in each workspace: above it is 429 with Retry-After and no work, and their other workspaces and other callers are not affected', async () => {
  const list = (as: string, workspace = newsletter) => gateway.call('GET', `${workspace}/audiences`, { as })
  const answers = await many(25, () => list('editor'))
  expect(statusesOf(answers)).toEqual([
    ...Array.from({ length: 20 }, () => 200),
    ...Array.from({ length: 5 }, () => 429),
  ])
  expectTooMany(answers.at(-1)!)
  expect(await timesAsked(gateway.contacts, 'ListAudiences')).toBe(20)
  expect((await list('analyst')).status).toBe(200)
  expect((await gateway.call('GET', '/api/v1/me', { as: 'editor' })).status).toBe(200)
  expect((await list('owner', product)).status).toBe(200)
  expect(await refusals('rate_limit_caller')).toBe(5)
})

test('all callers of a workspace share its rate, and another workspace is not limited by it', async () => {
  const list = (as: string, workspace = newsletter) => gateway.call('GET', `${workspace}/audiences`, { as })
  // The previous test used 21 of the 30.
  const answers = [...(await many(9, () => list('admin'))), ...(await many(3, () => list('wsowner')))]
  expect(statusesOf(answers)).toEqual([...Array.from({ length: 9 }, () => 200), 429, 429, 429])
  expectTooMany(answers.at(-1)!)
  expect((await list('owner', product)).status).toBe(200)
  expect((await list('outsider', '/api/v1/organizations/globex/workspaces/main')).status).toBe(200)
  expect(await refusals('rate_limit_workspace')).toBe(3)
})

test('a user who is not a member does not count for the rate of a workspace', async () => {
  const answers = await many(25, () => gateway.call('GET', `${product}/audiences`, { as: 'outsider' }))
  expect(statusesOf(answers)).toEqual([
    ...Array.from({ length: 20 }, () => 404),
    ...Array.from({ length: 5 }, () => 429),
  ])
  expect((await gateway.call('GET', `${product}/audiences`, { as: 'owner' })).status).toBe(200)
})

test('expensive operations have a lower rate, which is checked before the body is read', async () => {
  const version = (body: unknown) =>
    gateway.call('POST', `${product}/email-templates/01890a5d-ac96-774b-bcce-b302099a8057/versions`, {
      as: 'owner',
      body,
    })
  // The body is not JSON, so a request whose body is read is 400.
  expect(statusesOf(await many(3, () => version('{')))).toEqual([400, 400, 400])
  expectTooMany(await version('{'))
  expectTooMany(await version('x'.repeat(3 * 1_048_576)))
  expect(await refusals('rate_limit_expensive_caller')).toBe(2)
  expect((await gateway.call('GET', `${product}/audiences`, { as: 'owner' })).status).toBe(200)
})

test('all expensive operations share one rate, also at the console, and a workspace has another one', async () => {
  const main = '/organizations/globex/workspaces/main'
  const nothing = '01890a5d-ac96-774b-bcce-b302099a8057'
  const outsider = await signIn(gateway, 'outsider')
  const proof = () => outsider.call('GET', `/console/api${main}/contacts/${nothing}/consent-proof`)
  const schedule = ({ call } = gateway as Pick<GatewayStage, 'call'>) =>
    call('POST', `/api/v1${main}/campaign-drafts/${nothing}/schedule`, { as: 'outsider', body: {} })
  expect((await proof()).status).toBe(404)
  expect((await schedule()).status).toBe(422)
  expect((await proof()).status).toBe(404)
  expectTooMany(await schedule())
  expectTooMany(await proof())
  const replica = await gateway.replica({ RATE_LIMIT_EXPENSIVE_WORKSPACE_PER_MINUTE: '1' })
  expect((await schedule(replica)).status).toBe(422)
  expectTooMany(await schedule(replica))
})

test('the platform gate removes the limits of public endpoints, not the rates of known callers', async () => {
  const owner = await signIn(gateway, 'owner')
  const set = (enabled: boolean) =>
    owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled } })
  expect((await set(false)).status).toBe(200)
  try {
    const answers = await many(21, () => gateway.call('GET', '/api/v1/me', { as: 'agent' }))
    expect(statusesOf(answers)).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  } finally {
    await set(true)
  }
})
