import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { holds, isCapability, owns, roles, type Role } from '@lettergate/gateway/capabilities'
import { loadDocument } from '@lettergate/gateway/load-document'
import { allServices } from './all-services.ts'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { routesOf, type Route } from '@lettergate/gateway/test/document-reading'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'

/** The user of each role; none of them has a role on the platform. */
const users: Record<Role, string> = { owner: 'wsowner', brand_admin: 'admin', editor: 'editor', analyst: 'analyst' }
const workspaces = { newsletter: false, 'synthetic-lab': true }

const routes = routesOf(loadDocument('console'))
const ofWorkspaces = routes.filter(({ path }) => path.includes('{workspace_slug}'))
const ofPlatform = routes.filter((route) => !ofWorkspaces.includes(route))

/** Ids of missing objects: an allowed request with one in its path or body ends with a 404 or 422 of the gateway. */
const addressOf = ({ path }: Route, workspace = 'newsletter') =>
  path
    .replace('{organization_slug}', 'acme')
    .replace('{workspace_slug}', workspace)
    .replaceAll(/\{\w+\}/g, 'no-id')
const bodyOf = (method: string) => (method === 'get' ? {} : { body: {} })

let gateway: GatewayStage
const browsers = new Map<string, Browser>()
beforeAll(async () => {
  // all services run, because a list calls its service: without a server each call waits for its deadline
  gateway = await gatewayStage({}, allServices)
  // every role also in the archived workspace
  await gateway.stage.query(
    `insert into identity.memberships (workspace_id, user_id, role)
     select w.id, u.id, r.role from identity.workspaces w, identity.users u
       join (values ('wsowner', 'owner'), ('admin', 'brand_admin'), ('editor', 'editor'), ('analyst', 'analyst')) r (wallet_user_id, role)
         using (wallet_user_id)
      where w.slug = 'synthetic-lab' on conflict do nothing`,
  )
  for (const user of [...Object.values(users), 'owner', 'platform', 'outsider'])
    browsers.set(user, await signIn(gateway, user))
})
afterAll(() => gateway.close())

const ask = (user: string, route: Route, workspace?: string) =>
  browsers.get(user)!.call(route.method.toUpperCase(), addressOf(route, workspace), bodyOf(route.method))

function mayDo(role: Role, { operation }: Route, isArchived: boolean): boolean {
  const { 'x-capability': capability, 'x-ownership': ownership } = operation
  if (isCapability(capability) && !holds(role, capability, isArchived)) return false
  if (ownership === undefined) return true
  return ownership !== 'platform_owner_or_administrator' && owns(ownership, role, null)
}

test('the console document has operations of workspaces and of the platform', () => {
  expect(ofWorkspaces.length).toBeGreaterThan(10)
  expect(ofPlatform.length).toBeGreaterThan(2)
})

test.each(ofWorkspaces)(
  'every role may $method $path exactly when the matrix says so, archived or not',
  async (route) => {
    for (const role of roles) {
      for (const [workspace, isArchived] of Object.entries(workspaces)) {
        const { status, text } = await ask(users[role], route, workspace)
        expect({ role, workspace, isRefused: status === 403 }).toEqual({
          role,
          workspace,
          isRefused: !mayDo(role, route, isArchived),
        })
        if (status !== 403) continue
        const { 'x-capability': capability, 'x-ownership': ownership } = route.operation
        expect(text).toContain(
          isCapability(capability) ? capability : `Only ${ownership === undefined ? '' : 'an owner'}`,
        )
      }
    }
  },
)

test.each(ofPlatform)('$method $path is for people of the platform, whatever they are in workspaces', async (route) => {
  const isTheirs = route.operation['x-ownership'] === 'platform_owner_or_administrator'
  for (const user of [...Object.values(users), 'outsider'])
    expect({ user, isRefused: (await ask(user, route)).status === 403 }).toEqual({ user, isRefused: isTheirs })
  for (const user of ['owner', 'platform'])
    expect({ user, isRefused: (await ask(user, route)).status === 403 }).toEqual({ user, isRefused: false })
})

/** What no link of another site may start. */
const exports = new Set(
  [
    'platform/audit-log/export',
    'platform/audit-log/chain',
    'organizations/{organization_slug}/workspaces/{workspace_slug}/campaign-runs/{run_id}/recipients.csv',
    'organizations/{organization_slug}/workspaces/{workspace_slug}/contacts/{contact_id}/consent-proof',
  ].map((path) => `/console/api/${path}`),
)

describe.each(routes)('$method $path', (route) => {
  const { method } = route
  const call = (headers: Record<string, string>) =>
    gateway.call(method.toUpperCase(), addressOf(route), { headers, ...bodyOf(method) })

  test('refuses a bearer, a service key and a source credential, also together with a session', async () => {
    const { cookie, csrfToken } = browsers.get('owner')!
    const others: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wallet-session-dev-owner' },
      { authorization: 'Bearer lgs_some-credential' },
      { 'x-api-key': 'test-service-key', 'x-user-id': 'owner' },
      { authorization: 'Bearer wallet-session-dev-owner', cookie, 'x-csrf-token': csrfToken },
      { 'x-api-key': 'test-service-key', 'x-user-id': 'owner', cookie, 'x-csrf-token': csrfToken },
      { cookie: 'session=made-up', 'x-csrf-token': csrfToken },
    ]
    for (const headers of others)
      expect({ sent: Object.keys(headers), status: (await call(headers)).status }).toEqual({
        sent: Object.keys(headers),
        status: 401,
      })
  })

  test('changes nothing without the CSRF token of the same session', async () => {
    const { cookie, csrfToken } = browsers.get('owner')!
    const strays: Record<string, string>[] = [
      { cookie },
      { cookie, 'x-csrf-token': '' },
      { cookie, 'x-csrf-token': browsers.get('platform')!.csrfToken },
      { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of strays) {
      const { status, text } = await call(headers)
      if (method !== 'get')
        expect({ status, named: text.includes('X-CSRF-Token') }).toEqual({ status: 403, named: true })
      else if (headers['sec-fetch-site'] && exports.has(route.path))
        expect({ status, named: text.includes('Another site') }).toEqual({ status: 403, named: true })
      else expect(status).not.toBe(403)
    }
  })
})

test.each(ofWorkspaces)('$method $path does not exist for people of other tenants', async (route) => {
  expect((await ask('outsider', route)).status).toBe(404)
  expect((await ask('platform', route)).status).toBe(404)
})
