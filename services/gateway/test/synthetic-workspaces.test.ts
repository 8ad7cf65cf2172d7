import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Client } from '@lettergate/rpc'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
let identity: Client<typeof Identity>
beforeAll(async () => {
  gateway = await gatewayStage()
  identity = await gateway.stage.client(Identity, gateway.rpcPort, 'automations')
})
afterAll(() => gateway.close())

async function ask(workspace: string, client = identity) {
  const [{ id } = { id: 'no-id' }] = await gateway.stage.query<{ id: string }>(
    'select id from identity.workspaces where slug = $1',
    [workspace],
  )
  return client.requireSyntheticWorkspace(gateway.stage.caller({ workspaceId: id }), { workspaceId: id })
}

test('an archived workspace whose slug begins with synthetic- is for synthetic contacts', async () => {
  await ask('synthetic-lab')
})

test.each([
  ['newsletter', { code: 'failed_precondition', reason: 'workspace_not_synthetic' }],
  ['elsewhere', { code: 'not_found' }],
])('the workspace %s is not', async (workspace, expected) => {
  await expect(ask(workspace)).rejects.toMatchObject(expected)
})

test.each([
  ['in production', 'production'],
  ['in an environment that is not named', ''],
])('%s no workspace is', async (_, name) => {
  const { rpcPort } = await gateway.replica({ DEPLOYMENT_ENVIRONMENT: name })
  const production = await gateway.stage.client(Identity, rpcPort, 'automations')
  for (const workspace of ['synthetic-lab', 'newsletter'])
    await expect(ask(workspace, production)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'synthetic_in_production',
    })
})
