import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

const service = (user: string, key = 'test-service-key') => ({ 'x-api-key': key, 'x-user-id': user })

describe('wallet tokens', () => {
  test.each([
    ['nothing at all', {}],
    ['an empty Authorization header', { authorization: '' }],
    ['another scheme', { authorization: 'Basic b3duZXI6b3duZXI=' }],
    ['a bearer without a token', { authorization: 'Bearer ' }],
    ['the prefix alone', { authorization: 'Bearer wallet-session-' }],
    ['a token that does not begin like one of the wallet', { authorization: 'Bearer lgs_something' }],
    ['a token the wallet does not know', { authorization: 'Bearer wallet-session-unknown' }],
    ['an expired token', { authorization: 'Bearer wallet-session-dev-expired' }],
    ['a token with a blank inside', { authorization: 'Bearer wallet-session-dev-owner x' }],
  ])('%s is 401 and says how to authenticate', async (_, headers) => {
    const { status, headers: answered, text } = await gateway.call('GET', '/api/v1/me', { headers })
    expect(status).toBe(401)
    expect(answered.get('www-authenticate')).toBe('Bearer')
    expect(answered.get('content-type')).toBe('text/html; charset=utf-8')
    expect(text).toContain('<h1>Unauthorized</h1>')
  })

  test('an unknown token is refused as invalid, and a source credential as the wrong kind', async () => {
    const me = (token: string) => gateway.call('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token}` } })
    const nope = await me('nope')
    expect([nope.status, nope.headers.get('x-error-reason')]).toEqual([401, 'token'])
    expect(nope.text).toContain('Your token is not valid here.')
    expect((await me('lgs_something')).headers.get('x-error-reason')).toBe('credential_kind')
  })

  test('a revoked token is refused on the next request', async () => {
    const { token } = (await gateway.lever('/dev/sessions', { username: 'editor' })) as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    expect((await gateway.call('GET', '/api/v1/me', { headers })).status).toBe(200)
    await gateway.lever('/dev/revoke', { token })
    expect((await gateway.call('GET', '/api/v1/me', { headers })).status).toBe(401)
  })

  test('a grant for a source is refused on operator routes', async () => {
    const { token } = (await gateway.lever('/dev/grants', { source_id: 'a', permissions: ['events.write'] })) as {
      token: string
    }
    expect((await gateway.call('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      401,
    )
  })

  test('a user who is known only to the wallet is stored without a membership', async () => {
    const { token } = (await gateway.lever('/dev/sessions', { username: 'newcomer', identity_type: 'agent' })) as {
      token: string
    }
    const headers = { authorization: `Bearer ${token}` }
    const { json } = await gateway.call('GET', '/api/v1/me', { headers })
    expect(json).toMatchObject({
      user: { wallet_user_id: 'newcomer', identity_type: 'agent', platform_role: null },
      workspaces: [],
    })
    expect((await gateway.call('GET', newsletter, { headers })).status).toBe(404)
    expect(
      await gateway.stage.query(`select wallet_user_id from identity.users where wallet_user_id = 'newcomer'`),
    ).toHaveLength(1)
  })

  test.each(['unavailable', 'slow', 'garbage'])(
    'while the wallet is %s, its tokens are 503, sessions and keys work, and it recovers',
    async (mode) => {
      await gateway.lever('/dev/outage', { enabled: true, mode })
      expect((await gateway.call('GET', '/api/v1/me', { as: 'owner' })).status).toBe(503)
      for (let attempt = 0; attempt < 3; attempt += 1)
        expect((await gateway.call('GET', '/api/v1/me', { as: 'owner' })).status).toBe(503)
      expect((await gateway.call('GET', '/api/v1/me', { headers: service('editor') })).status).toBe(200)
      expect((await gateway.call('GET', '/healthz')).status).toBe(200)
      await gateway.lever('/dev/outage', { enabled: false })
      await until(async () => (await gateway.call('GET', '/api/v1/me', { as: 'owner' })).status === 200)
    },
  )
})

describe('service keys', () => {
  test('act for a stored user, and are accepted for /me and /workspaces', async () => {
    const me = await gateway.call('GET', '/api/v1/me', { headers: service('editor') })
    expect(me.json).toMatchObject({ user: { wallet_user_id: 'editor' }, auth_method: 'service', csrf_token: null })
    expect((await gateway.call('GET', '/api/v1/workspaces', { headers: service('editor') })).status).toBe(200)
  })

  test.each([
    ['a wrong key', service('editor', 'test-service-kez')],
    ['no user', { 'x-api-key': 'test-service-key' }],
    ['an unknown user', service('nobody')],
    ['an empty user', service('')],
    ['a user of a wrong key', service('nobody', 'wrong')],
  ])('with %s are 401', async (_, headers) => {
    expect((await gateway.call('GET', '/api/v1/me', { headers })).status).toBe(401)
  })

  test('have only the capability edit_content, for any role of the user', async () => {
    expect((await gateway.call('GET', newsletter, { headers: service('owner') })).status).toBe(403)
    expect(
      (await gateway.call('POST', `${newsletter}/contacts/upsert`, { headers: service('owner'), body: {} })).status,
    ).toBe(403)
    const content = await gateway.call('POST', `${newsletter}/email-templates`, { headers: service('owner'), body: {} })
    expect(content.status).toBe(422)
    expect(
      (await gateway.call('POST', `${newsletter}/email-templates`, { headers: service('analyst'), body: {} })).status,
    ).toBe(403)
    expect(
      (await gateway.call('POST', `${newsletter}/email-templates`, { headers: service('outsider'), body: {} })).status,
    ).toBe(404)
  })
})

describe('the wrong kind of credential', () => {
  test('an operator token, no credential, a key or a cookie on a source route is 401', async () => {
    const path = `${newsletter}/subscription-sources/site/audiences`
    expect((await gateway.call('GET', path, { as: 'owner' })).status).toBe(401)
    expect((await gateway.call('GET', path)).status).toBe(401)
    expect((await gateway.call('GET', path, { headers: service('owner') })).status).toBe(401)
    expect((await gateway.call('GET', path, { headers: { cookie: 'session=x' } })).status).toBe(401)
  })

  test('a made-up session cookie is 401', async () => {
    expect((await gateway.call('GET', '/api/v1/me', { headers: { cookie: 'session=made-up' } })).status).toBe(401)
  })
})
