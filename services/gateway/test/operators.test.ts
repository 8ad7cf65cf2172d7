import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

const operators = `${newsletter.replace('/api/v1', '/console/api')}/operators`

let gateway: GatewayStage
let owner: Browser
let second: Browser
let admin: Browser
beforeAll(async () => {
  gateway = await gatewayStage()
  owner = await signIn(gateway, 'owner')
  second = await signIn(gateway, 'wsowner')
  admin = await signIn(gateway, 'admin')
})
afterAll(() => gateway.close())

const add = (as: Browser, body: object) => as.call('POST', operators, { body })
const give = (as: Browser, walletUserId: string, role: string) =>
  as.call('PATCH', `${operators}/${walletUserId}`, { body: { role } })
const remove = (as: Browser, walletUserId: string) => as.call('DELETE', `${operators}/${walletUserId}`)
const rolesNow = async () => {
  const { json } = await owner.call('GET', operators)
  const listed = json['operators'] as { wallet_user_id: string; role: string }[]
  return Object.fromEntries(listed.map(({ wallet_user_id: id, role }) => [id, role]))
}

test('users who manage roles see operators with name, kind and role, owners first', async () => {
  const { status, json } = await admin.call('GET', operators)
  expect(status).toBe(200)
  expect(json['operators']).toEqual([
    { wallet_user_id: 'owner', username: 'owner', identity_type: 'human', role: 'owner' },
    { wallet_user_id: 'wsowner', username: 'wsowner', identity_type: 'human', role: 'owner' },
    { wallet_user_id: 'admin', username: 'admin', identity_type: 'human', role: 'brand_admin' },
    { wallet_user_id: 'agent', username: 'agent', identity_type: 'agent', role: 'editor' },
    { wallet_user_id: 'editor', username: 'editor', identity_type: 'human', role: 'editor' },
    { wallet_user_id: 'analyst', username: 'analyst', identity_type: 'human', role: 'analyst' },
  ])
  for (const user of ['editor', 'analyst'])
    expect((await (await signIn(gateway, user)).call('GET', operators)).status).toBe(403)
})

test('an added operator has the role from the next request on, and the change is audited', async () => {
  expect((await gateway.call('GET', newsletter, { as: 'outsider' })).status).toBe(404)
  const { status, json } = await add(admin, { wallet_user_id: 'outsider', username: 'Out Sider', role: 'analyst' })
  expect([status, json]).toEqual([
    200,
    { operator: { wallet_user_id: 'outsider', username: 'outsider', identity_type: 'human', role: 'analyst' } },
  ])
  expect((await gateway.call('GET', newsletter, { as: 'outsider' })).json).toMatchObject({ role: 'analyst' })
  expect((await give(admin, 'outsider', 'editor')).json).toMatchObject({ operator: { role: 'editor' } })
  expect((await gateway.call('GET', newsletter, { as: 'outsider' })).json).toMatchObject({ role: 'editor' })
  const log = '/console/api/platform/audit-log?subject_type=operator&subject_id=outsider'
  const entries = await until(async () => {
    const found = (await owner.call('GET', log)).json['entries'] as object[]
    return found.length === 2 ? found : undefined
  })
  expect(entries).toMatchObject([
    { action: 'operator_role_set', actor: 'admin', detail: { role: 'editor', before: 'analyst' } },
    { action: 'operator_added', actor: 'admin', workspace: 'newsletter', detail: { role: 'analyst' } },
  ])
})

test('a user who never signed in is added with the wallet’s id, and gets name and kind from the wallet at the first request', async () => {
  const { json } = await add(admin, { wallet_user_id: 'new-colleague', username: 'Nele', role: 'editor' })
  expect(json).toEqual({
    operator: { wallet_user_id: 'new-colleague', username: 'Nele', identity_type: 'human', role: 'editor' },
  })
  await gateway.stage.query(
    `update identity.users set identity_type = 'human', username = 'Bot' where wallet_user_id = 'agent'`,
  )
  expect((await gateway.call('GET', '/api/v1/me', { as: 'agent' })).json).toMatchObject({
    user: { username: 'agent', identity_type: 'agent' },
  })
})

test('a second addition is 409, an invalid role or id is 422 with its field, and an unknown id is 404', async () => {
  expect((await add(admin, { wallet_user_id: 'editor', role: 'analyst' })).status).toBe(409)
  const refused: [object, string][] = [
    [{ wallet_user_id: 'x', role: 'king' }, 'role'],
    [{ wallet_user_id: 'x' }, 'role'],
    [{ role: 'editor' }, 'wallet_user_id'],
    [{ wallet_user_id: 'a b', role: 'editor' }, 'wallet_user_id'],
    [{ wallet_user_id: 'x', username: '', role: 'editor' }, 'username'],
  ]
  for (const [body, named] of refused) {
    const { status, text } = await add(admin, body)
    expect({ body, status, isNamed: text.includes(named) }).toEqual({ body, status: 422, isNamed: true })
  }
  expect((await give(admin, 'platform', 'editor')).status).toBe(404)
  expect((await give(admin, 'editor', 'king')).status).toBe(422)
})

test('a brand_admin cannot add or change an owner, not even the last one', async () => {
  expect((await add(admin, { wallet_user_id: 'platform', role: 'owner' })).status).toBe(403)
  expect((await give(admin, 'admin', 'owner')).status).toBe(403)
  expect((await give(admin, 'wsowner', 'editor')).status).toBe(403)
  await give(owner, 'wsowner', 'brand_admin')
  expect((await give(admin, 'owner', 'editor')).status).toBe(403)
  await give(owner, 'wsowner', 'owner')
  expect(await rolesNow()).toMatchObject({ owner: 'owner', wsowner: 'owner', admin: 'brand_admin' })
})

test('the last owner stays an owner, also when two owners demote each other at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const statuses = (await Promise.all([give(owner, 'wsowner', 'editor'), give(second, 'owner', 'editor')])).map(
      ({ status }) => status,
    )
    const owners = await gateway.stage.query<{ wallet_user_id: string }>(
      `select u.wallet_user_id from identity.memberships m join identity.users u on u.id = m.user_id
         join identity.workspaces w on w.id = m.workspace_id where w.slug = 'newsletter' and m.role = 'owner'`,
    )
    expect([statuses.includes(200), owners.length]).toEqual([true, 1])
    const left = owners[0]!.wallet_user_id === 'owner' ? owner : second
    expect((await give(left, owners[0]!.wallet_user_id, 'editor')).status).toBe(422)
    await give(left, left === owner ? 'wsowner' : 'owner', 'owner')
  }
})

test('a removed operator has no access from the next request on and keeps the session, and the change is audited', async () => {
  await add(admin, { wallet_user_id: 'leaver', role: 'editor' })
  await gateway.stage.query(
    `insert into identity.memberships (workspace_id, user_id, role)
     select w.id, u.id, 'analyst' from identity.workspaces w, identity.users u
      where w.slug = 'newsletter' and u.wallet_user_id = 'outsider' on conflict (workspace_id, user_id) do update set role = 'analyst'`,
  )
  const outsider = await signIn(gateway, 'outsider')
  expect((await outsider.call('GET', newsletter)).status).toBe(200)
  const { status, json } = await remove(admin, 'outsider')
  expect([status, json]).toEqual([200, { deleted: true }])
  expect((await outsider.call('GET', newsletter)).status).toBe(404)
  expect((await outsider.call('GET', '/api/v1/me')).status).toBe(200)
  expect((await remove(admin, 'outsider')).status).toBe(404)
  expect((await remove(admin, 'leaver')).status).toBe(200)
  expect(Object.keys(await rolesNow())).not.toContain('leaver')
  const entries = await until(async () => {
    const log = '/console/api/platform/audit-log?action=operator_removed'
    const found = (await owner.call('GET', log)).json['entries'] as object[]
    return found.length === 2 ? found : undefined
  })
  expect(entries).toMatchObject([
    {
      subject_type: 'operator',
      subject_id: 'leaver',
      actor: 'admin',
      workspace: 'newsletter',
      detail: { role: 'editor' },
    },
    { subject_id: 'outsider', detail: { role: 'analyst' } },
  ])
  expect((await add(admin, { wallet_user_id: 'leaver', role: 'analyst' })).status).toBe(200)
  await remove(admin, 'leaver')
})

test('a brand_admin cannot remove an owner, and the last owner is not removed, also when two owners remove each other at once', async () => {
  expect((await remove(admin, 'wsowner')).status).toBe(403)
  for (const user of ['editor', 'analyst'])
    expect((await remove(await signIn(gateway, user), 'editor')).status).toBe(403)
  for (let round = 0; round < 5; round += 1) {
    const statuses = (await Promise.all([remove(owner, 'wsowner'), remove(second, 'owner')])).map(
      ({ status }) => status,
    )
    const owners = await gateway.stage.query<{ wallet_user_id: string }>(
      `select u.wallet_user_id from identity.memberships m join identity.users u on u.id = m.user_id
         join identity.workspaces w on w.id = m.workspace_id where w.slug = 'newsletter' and m.role = 'owner'`,
    )
    expect([statuses.includes(200), owners.length]).toEqual([true, 1])
    const left = owners[0]!.wallet_user_id === 'owner' ? owner : second
    expect((await remove(left, owners[0]!.wallet_user_id)).status).toBe(422)
    await add(left, { wallet_user_id: left === owner ? 'wsowner' : 'owner', role: 'owner' })
  }
  expect(await rolesNow()).toMatchObject({ owner: 'owner', wsowner: 'owner' })
})

test('operators of another workspace are 404', async () => {
  const product = operators.replace('newsletter', 'product')
  expect((await owner.call('PATCH', `${product}/editor`, { body: { role: 'analyst' } })).status).toBe(404)
  expect((await owner.call('DELETE', `${product}/editor`)).status).toBe(404)
  expect((await admin.call('GET', product)).status).toBe(404)
  expect(await rolesNow()).toMatchObject({ editor: 'editor' })
})

test('the rules also apply to direct gRPC callers', async () => {
  const identity = await gateway.stage.client(Identity, gateway.rpcPort)
  const [workspace] = await gateway.stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )
  const caller = gateway.stage.caller({ workspaceId: workspace!.id, role: 'brand_admin' })
  const { operators: listed } = await identity.listOperators(caller, {})
  expect(listed.find(({ walletUserId }) => walletUserId === 'owner')).toMatchObject({ role: 'owner' })
  const denied = { code: 'permission_denied' }
  await expect(identity.addOperator(caller, { walletUserId: 'x', role: 'owner' })).rejects.toMatchObject(denied)
  await expect(identity.setOperatorRole(caller, { walletUserId: 'owner', role: 'editor' })).rejects.toMatchObject(
    denied,
  )
  await expect(identity.removeOperator(caller, { walletUserId: 'owner' })).rejects.toMatchObject(denied)
  const unknown = { code: 'invalid_argument', reason: 'role' }
  await expect(identity.addOperator(caller, { walletUserId: 'x', role: 'king' })).rejects.toMatchObject(unknown)
})
