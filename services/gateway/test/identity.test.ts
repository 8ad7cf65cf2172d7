import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

describe('the current user and workspaces', () => {
  test('health is public and shows the closed production gate', async () => {
    const { status, json, headers } = await gateway.call('GET', '/healthz')
    expect(status).toBe(200)
    expect(json).toEqual({ status: 'ok', service: 'gateway', role: 'service', production_sending_enabled: false })
    expect(headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  })

  test('a bearer caller sees the own user and every membership, and no CSRF token', async () => {
    const { status, json } = await gateway.call('GET', '/api/v1/me', { as: 'owner' })
    expect(status).toBe(200)
    expect(json).toEqual({
      user: { wallet_user_id: 'owner', username: 'owner', identity_type: 'human', platform_role: 'owner' },
      auth_method: 'bearer',
      csrf_token: null,
      workspaces: [
        { organization: 'acme', workspace: 'newsletter', role: 'owner', is_archived: false },
        { organization: 'acme', workspace: 'product', role: 'owner', is_archived: false },
        { organization: 'acme', workspace: 'synthetic-lab', role: 'owner', is_archived: true },
      ],
    })
  })

  test('a workspace is the top-level object of its answer, with slugs, name and the capabilities of the role', async () => {
    const { status, json } = await gateway.call('GET', newsletter, { as: 'analyst' })
    expect(status).toBe(200)
    expect(json).toEqual({
      organization: 'acme',
      workspace: 'newsletter',
      name: 'Acme Newsletter',
      role: 'analyst',
      is_archived: false,
      production_sending_enabled: false,
      capabilities: ['view'],
    })
  })
})
