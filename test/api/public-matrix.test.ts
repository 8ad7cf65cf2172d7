import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { holds, isCapability, owns, roles, type Role } from '@lettergate/gateway/capabilities'
import { loadDocument } from '@lettergate/gateway/load-document'
import { routesOf, type Route } from '@lettergate/gateway/test/document-reading'
import { gatewayStage, type GatewayCallOptions, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { allServices } from './all-services.ts'

/** The user of each role; none of them has a role on the platform. */
const users: Record<Role, string> = { owner: 'wsowner', brand_admin: 'admin', editor: 'editor', analyst: 'analyst' }
const workspaces = { newsletter: false, 'synthetic-lab': true }

/** Every operation of operators in a workspace; the gateway's source-credentials.test.ts covers sources. */
const routes = routesOf(loadDocument('public')).filter(
  ({ path, operation }) => path.includes('{workspace_slug}') && operation['x-credential'] === 'operator',
)

/** Ids of missing objects: an allowed request with one in its path or body ends with a 404 or 422 of the gateway. */
const addressOf = ({ path }: Route, workspace: string) =>
  path
    .replace('{organization_slug}', 'acme')
    .replace('{workspace_slug}', workspace)
    .replaceAll(/\{\w+\}/g, 'no-id')

let gateway: GatewayStage
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
})
afterAll(() => gateway.close())

const ask = (route: Route, options: GatewayCallOptions, workspace = 'newsletter') =>
  gateway.call(route.method.toUpperCase(), addressOf(route, workspace), {
    ...(route.method === 'get' ? {} : { body: {} }),
    ...options,
  })

/** The word that the refusal must contain, or null when the role is allowed. */
function refusalOf(role: Role, { operation }: Route, isArchived: boolean): string | null {
  const { 'x-capability': capability, 'x-ownership': ownership } = operation
  if (isCapability(capability) && !holds(role, capability, isArchived)) return capability
  if (ownership === undefined) return null
  return ownership !== 'platform_owner_or_administrator' && owns(ownership, role, null) ? null : 'owner'
}

test('there are rows for the operations of operators', () => {
  expect(routes.length).toBeGreaterThan(60)
})

test.each(routes)('every role may $method $path exactly when the matrix says so, archived or not', async (route) => {
  for (const role of roles) {
    for (const [workspace, isArchived] of Object.entries(workspaces)) {
      const { status, text } = await ask(route, { as: users[role] }, workspace)
      const refusal = refusalOf(role, route, isArchived)
      expect({ role, workspace, isRefused: status === 403 }).toEqual({ role, workspace, isRefused: refusal !== null })
      if (refusal !== null) expect(text).toContain(refusal)
    }
  }
})

test.each(routes)('$method $path does not exist for people of other tenants', async (route) => {
  for (const as of ['outsider', 'platform'])
    expect({ as, status: (await ask(route, { as })).status }).toEqual({ as, status: 404 })
})

test.each(routes)(
  '$method $path takes no source credential, and a service key for edit_content alone',
  async (route) => {
    for (const headers of [{}, { authorization: 'Bearer lgs_some-credential' }] as Record<string, string>[])
      expect((await ask(route, { headers })).status).toBe(401)
    const { status } = await ask(route, { headers: { 'x-api-key': 'test-service-key', 'x-user-id': 'wsowner' } })
    expect(status === 403).toBe(route.operation['x-capability'] !== 'edit_content')
  },
)
