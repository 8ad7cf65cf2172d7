import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { startWallet } from '../wallet/wallet.ts'
import { seededUsers } from '../wallet/seed.ts'

let wallet: Awaited<ReturnType<typeof startWallet>>
let now = 1_800_000_000

beforeEach(async () => {
  wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'secret', now: () => now })
})
afterEach(() => wallet.stop())

const introspect = async (token: string, secret = 'secret') => {
  const res = await fetch(`${wallet.url}/oauth2/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`lettergate:${secret}`)}` },
    body: new URLSearchParams({ token }),
  })
  return {
    status: res.status,
    body: res.headers.get('content-type')?.includes('json') ? ((await res.json()) as unknown) : await res.text(),
  }
}
const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const res = await fetch(wallet.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: res.status, body: (await res.json()) as Record<string, string> }
}

describe('introspection', () => {
  test('returns the user of a seeded token', async () => {
    for (const { username, identityType } of seededUsers) {
      expect(await introspect(`wallet-session-dev-${username}`)).toEqual({
        status: 200,
        body: {
          active: true,
          sub: username,
          username,
          identity_type: identityType,
          token_use: 'session',
          scope: '',
          exp: expect.any(Number),
        },
      })
    }
  })

  test('unknown and expired tokens are inactive', async () => {
    for (const token of ['wallet-session-dev-expired', 'wallet-session-nobody', 'dev-agent-api-key']) {
      expect(await introspect(token)).toEqual({ status: 200, body: { active: false } })
    }
  })

  test('requires the credential of the caller', async () => {
    expect((await introspect('wallet-session-dev-owner', 'wrong')).status).toBe(401)
    expect(
      (await fetch(`${wallet.url}/oauth2/introspect`, { method: 'POST', body: new URLSearchParams({ token: 'x' }) }))
        .status,
    ).toBe(401)
  })

  test('a revoked token is inactive at once, others stay', async () => {
    expect((await post('/dev/revoke', { token: 'wallet-session-dev-editor' })).body).toEqual({ revoked: true })
    expect((await introspect('wallet-session-dev-editor')).body).toEqual({ active: false })
    expect((await introspect('wallet-session-dev-admin')).body).toMatchObject({ active: true })
  })

  test('an outage answers 503, or a body that is not JSON, until it ends', async () => {
    await post('/dev/outage', { enabled: true })
    expect((await introspect('wallet-session-dev-owner')).status).toBe(503)
    await post('/dev/outage', { enabled: true, mode: 'garbage' })
    expect(await introspect('wallet-session-dev-owner')).toEqual({ status: 200, body: expect.stringContaining('<h1>') })
    await post('/dev/outage', { enabled: false })
    expect((await introspect('wallet-session-dev-owner')).body).toMatchObject({ active: true })
  })
})

describe('grants', () => {
  test('have a source and permissions, and expire', async () => {
    const { body } = await post('/dev/grants', { source_id: 'src-1', permissions: ['events.write', 'audiences.read'] })
    expect((await introspect(body['token'] ?? '')).body).toMatchObject({
      active: true,
      token_use: 'grant',
      scope: 'subscription-source:src-1 events.write audiences.read',
    })
    now += 3_601
    expect((await introspect(body['token'] ?? '')).body).toEqual({ active: false })
  })

  test('need a source', async () => {
    expect((await post('/dev/grants', { permissions: [] })).status).toBe(422)
  })
})

describe('signing in', () => {
  test('the page offers every seeded user, and redirects back with a session and the state', async () => {
    const back = 'http://127.0.0.1:8080/console/auth/callback'
    const page = await fetch(
      `${wallet.url}/signin?${new URLSearchParams({ redirect_uri: back, state: 's"<1>' }).toString()}`,
    )
    const html = await page.text()
    expect(page.status).toBe(200)
    for (const { username } of seededUsers) expect(html).toContain(`value="${username}"`)
    expect(html).toContain('value="s&quot;&lt;1&gt;"')

    const chosen = await fetch(`${wallet.url}/signin`, {
      method: 'POST',
      body: new URLSearchParams({ redirect_uri: back, state: 's"<1>', user: 'admin' }),
      redirect: 'manual',
    })
    expect(chosen.status).toBe(303)
    const target = new URL(chosen.headers.get('location') ?? '')
    expect(target.origin + target.pathname).toBe(back)
    expect(target.searchParams.get('state')).toBe('s"<1>')
    const token = target.searchParams.get('sso_token') ?? ''
    expect(token).toMatch(/^wallet-session-[\w-]{40,}$/)
    expect((await introspect(token)).body).toMatchObject({ active: true, sub: 'admin', exp: now + 12 * 3600 })
  })

  test('a redirect to an address that is not a web page is refused', async () => {
    expect((await fetch(`${wallet.url}/signin?redirect_uri=javascript:alert(1)`)).status).toBe(400)
    expect((await fetch(`${wallet.url}/signin`)).status).toBe(400)
  })

  test('an agent exchanges its key for an identity, and that for a session; neither of the first two is a bearer', async () => {
    expect((await post('/agent-identity/identity-token', {}, { authorization: 'Bearer wrong' })).status).toBe(401)
    const { body: identity } = await post(
      '/agent-identity/identity-token',
      {},
      { authorization: 'Bearer dev-agent-api-key' },
    )
    expect((await introspect(identity['identity_token'] ?? '')).body).toEqual({ active: false })
    const { body: session } = await post('/agent/sign-in', { token: identity['identity_token'] })
    expect((await introspect(session['sso_token'] ?? '')).body).toMatchObject({
      active: true,
      sub: 'agent',
      identity_type: 'agent',
      token_use: 'session',
    })
    expect((await post('/agent/sign-in', { token: session['sso_token'] })).status).toBe(401)
  })
})

test('users that no service knows yet can be created', async () => {
  const { body } = await post('/dev/sessions', { username: 'newcomer' })
  expect((await introspect(body['token'] ?? '')).body).toMatchObject({
    active: true,
    sub: body['wallet_user_id'],
    username: 'newcomer',
  })
})
