import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
let identity: Client<typeof Identity>
beforeAll(async () => {
  gateway = await gatewayStage()
  identity = await gateway.stage.client(Identity, gateway.rpcPort, 'reconstruct')
})
afterAll(() => gateway.close())

const ask = (of: { organization?: string; workspace?: string; walletUserId?: string } = {}, client = identity) =>
  client.requireReconstructionAllowed(gateway.stage.caller({ workspaceId: null }), {
    organization: 'acme',
    workspace: 'newsletter',
    walletUserId: 'owner',
    ...of,
  })

test('an operator who may edit content and automations gets the id of the workspace', async () => {
  const [{ id } = { id: '' }] = await gateway.stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )
  for (const walletUserId of ['owner', 'admin', 'editor', 'agent'])
    expect((await ask({ walletUserId })).workspaceId).toBe(id)
})

test.each([
  ['an analyst may not', { walletUserId: 'analyst' }, { code: 'permission_denied', reason: 'edit_content' }],
  ['a member of another workspace finds none', { walletUserId: 'outsider' }, { code: 'not_found' }],
  ['an unknown user finds none', { walletUserId: 'nobody' }, { code: 'not_found' }],
  ['an unknown workspace is not found', { workspace: 'elsewhere' }, { code: 'not_found' }],
  ['a text that is no slug is not found', { organization: 'Acme; drop' }, { code: 'not_found' }],
])('%s', async (_, of, expected) => {
  await expect(ask(of)).rejects.toMatchObject(expected)
})

test.each([
  [{ DEPLOYMENT_ENVIRONMENT: 'production' }, 'reconstruction_in_production', 'production'],
  [{ DEPLOYMENT_ENVIRONMENT: '' }, 'reconstruction_in_production', 'production'],
  [{ TEST_SENDS_ENABLED: 'true' }, 'reconstruction_sending_ceiling', 'TEST_SENDS_ENABLED'],
  [
    { ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' },
    'reconstruction_sending_ceiling',
    'ALLOW_PRODUCTION_SENDING_ACTIVATION',
  ],
])('an environment with %j refuses every operator, and says why', async (env, reason, named) => {
  const { rpcPort } = await gateway.replica(env)
  const other = await gateway.stage.client(Identity, rpcPort, 'reconstruct')
  for (const operator of [{}, { walletUserId: 'nobody' }])
    await expect(ask(operator, other)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason,
      message: expect.stringContaining(named),
    })
})

test('an open ceiling of synthetic rehearsals does not matter, because they contact nobody', async () => {
  const { rpcPort } = await gateway.replica({ SYNTHETIC_REHEARSALS_ENABLED: 'true' })
  const other = await gateway.stage.client(Identity, rpcPort, 'reconstruct')
  expect((await ask({}, other)).workspaceId).not.toBe('')
})

test('a service that the proto does not name may not ask', async () => {
  const other = await gateway.stage.client(Identity, gateway.rpcPort, 'imports')
  await expect(ask({}, other)).rejects.toMatchObject({ code: 'permission_denied', reason: 'peer_not_allowed' })
})
