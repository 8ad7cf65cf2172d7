import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())
afterEach(() => gateway.stage.clock.release())

const upsert = `${newsletter}/contacts/upsert`

describe('signing in', () => {
  test('redirects to the wallet with the callback and a state of this browser', async () => {
    const { status, headers } = await gateway.call('GET', '/console/auth/sign-in')
    expect(status).toBe(302)
    const target = new URL(headers.get('location')!)
    expect(target.origin + target.pathname).toBe(`${gateway.walletUrl}/signin`)
    expect(target.searchParams.get('redirect_uri')).toBe('http://127.0.0.1:8080/console/auth/callback')
    const cookie = headers.getSetCookie()[0]!
    expect(cookie).toContain(`sign_in_state=${target.searchParams.get('state')}`)
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/SameSite=Lax/)
  })

  test('begins at the base URL for a browser that came to another name of the host, once', async () => {
    const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }
    const moved = await gateway.call('GET', '/console/auth/sign-in', { headers })
    expect(moved.status).toBe(302)
    expect(moved.headers.get('location')).toBe('http://127.0.0.1:8080/console/auth/sign-in?moved=')
    expect(moved.headers.getSetCookie()).toEqual([])
    const { pathname, search } = new URL(moved.headers.get('location')!)
    const start = await gateway.call('GET', pathname + search, { headers })
    expect(start.headers.get('location')).toMatch(gateway.walletUrl)
  })

  test('returns with a session that is stored as a hash, and a CSRF token', async () => {
    const browser = await signIn(gateway, 'owner')
    const { json } = await browser.call('GET', '/api/v1/me')
    expect(json).toMatchObject({ auth_method: 'session', user: { wallet_user_id: 'owner' } })
    expect(browser.csrfToken).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const value = browser.cookie.slice('session='.length)
    const stored = await gateway.stage.query<{ token_hash: string }>('select token_hash from identity.sessions')
    expect(stored.map((row) => row.token_hash)).toContain(
      createHash('sha256').update(`session:${value}`).digest('base64url'),
    )
    expect(JSON.stringify(stored)).not.toContain(value)
    const other = await signIn(gateway, 'owner')
    expect(other.csrfToken).not.toBe(browser.csrfToken)
  })

  test('with a state that this browser did not start is 400', async () => {
    const start = await gateway.call('GET', '/console/auth/sign-in')
    const cookie = start.headers.getSetCookie()[0]!.split(';', 1)[0]!
    for (const [search, headers] of [
      ['?sso_token=wallet-session-dev-owner&state=other', { cookie }],
      ['?sso_token=wallet-session-dev-owner', { cookie }],
      ['?sso_token=wallet-session-dev-owner&state=', {}],
    ] as const) {
      expect((await gateway.call('GET', `/console/auth/callback${search}`, { headers })).status).toBe(400)
    }
  })

  test('works in each of several tabs, and with each state only once', async () => {
    let cookie = ''
    const states: string[] = []
    const jar = (headers: Headers) => {
      const set = headers.getSetCookie().find((one) => one.startsWith('sign_in_state='))!
      cookie = set.split(';', 1)[0]!
    }
    const back = async (state: string | undefined) => {
      const answer = await gateway.call(
        'GET',
        `/console/auth/callback?sso_token=wallet-session-dev-owner&state=${state}`,
        {
          headers: { cookie },
        },
      )
      if (answer.status === 303) jar(answer.headers)
      return answer.status
    }
    for (let tab = 0; tab < 7; tab += 1) {
      const { headers } = await gateway.call('GET', '/console/auth/sign-in', { headers: { cookie } })
      jar(headers)
      states.push(new URL(headers.get('location')!).searchParams.get('state')!)
    }
    // Only the newest five are kept, so that the cookie stays short.
    expect(await back(states[1])).toBe(400)
    for (const state of states.slice(2)) expect(await back(state)).toBe(303)
    expect(cookie).toBe('sign_in_state=')
    for (const state of states.slice(2)) expect(await back(state)).toBe(400)
  })

  test('takes no state that another cookie put between', async () => {
    const start = await gateway.call('GET', '/console/auth/sign-in', { headers: { cookie: 'sign_in_state=x.y.%00."' } })
    const state = new URL(start.headers.get('location')!).searchParams.get('state')!
    expect(start.headers.getSetCookie()[0]!.split(';', 1)[0]).toBe(`sign_in_state=${state}`)
  })

  test('with the right state and a bad token, or none, is 401', async () => {
    const start = await gateway.call('GET', '/console/auth/sign-in')
    const cookie = start.headers.getSetCookie()[0]!.split(';', 1)[0]!
    const state = new URL(start.headers.get('location')!).searchParams.get('state')!
    for (const token of ['', '&sso_token=wallet-session-dev-expired', '&sso_token=lgs_x', '&sso_token=%00']) {
      const { status } = await gateway.call('GET', `/console/auth/callback?state=${state}${token}`, {
        headers: { cookie },
      })
      expect(status).toBe(401)
    }
  })
})

test('images and frames of another site start no sign-in, and use up no limit', async () => {
  const { call } = await gateway.replica({ RATE_LIMIT_SIGN_IN_PER_MINUTE: '2' })
  const from = (path: string, dest: string) =>
    call('GET', `/console/auth/${path}`, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': dest } })
  for (const dest of ['image', 'iframe', 'script', 'empty'])
    for (const path of ['sign-in', 'callback?state=other']) {
      const { status, headers } = await from(path, dest)
      expect([path, dest, status, headers.get('x-error-reason')]).toEqual([path, dest, 403, 'cross_site'])
      expect(headers.getSetCookie()).toEqual([])
    }
  expect((await from('sign-in', 'document')).status).toBe(302)
  expect((await from('callback?state=other', 'document')).status).toBe(400)
})

describe('a session', () => {
  test('changes nothing without its CSRF token', async () => {
    const browser = await signIn(gateway, 'editor')
    const other = await signIn(gateway, 'editor')
    for (const token of [undefined, '', 'wrong', other.csrfToken]) {
      const headers = { cookie: browser.cookie, ...(token === undefined ? {} : { 'x-csrf-token': token }) }
      expect((await gateway.call('POST', upsert, { headers, body: {} })).status).toBe(403)
    }
    expect((await browser.call('POST', upsert, { body: {}, headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
      403,
    )
    expect((await browser.call('POST', upsert, { body: {} })).status).toBe(422)
  })

  test('is listed for its user, who ends another one at once', async () => {
    const sessions = '/console/api/me/sessions'
    interface Listed {
      id: string
      is_current: boolean
      signed_in_at: string
      ends_at: string
    }
    const listedFor = async (browser: Browser) =>
      (await browser.call('GET', sessions)).json['sessions'] as readonly Listed[]
    const start = Date.now()
    const idle = await signIn(gateway, 'wsowner')
    gateway.stage.clock.set(new Date(start + 2.5 * 3_600_000))
    const here = await signIn(gateway, 'wsowner')
    const there = await signIn(gateway, 'wsowner')
    const elsewhere = await signIn(gateway, 'editor')
    const listed = await listedFor(here)
    expect(listed).toHaveLength(2)
    const [own, other] = [true, false].map((isCurrent) => listed.find(({ is_current }) => is_current === isCurrent)!)
    expect(Date.parse(other!.ends_at) - Date.parse(other!.signed_in_at)).toBe(12 * 3_600_000)
    expect(JSON.stringify(listed)).not.toContain(there.cookie.slice('session='.length))

    const end = (browser: Browser, id: string) => browser.call('DELETE', `${sessions}/${id}`)
    expect((await end(elsewhere, other!.id)).status).toBe(404)
    expect((await end(here, own!.id)).status).toBe(422)
    expect((await end(here, 'no-id')).status).toBe(404)
    expect((await there.call('GET', '/api/v1/me')).status).toBe(200)
    expect(await end(here, other!.id)).toMatchObject({ status: 200, json: { deleted: true } })
    expect((await there.call('GET', '/api/v1/me')).status).toBe(401)
    expect((await idle.call('GET', '/api/v1/me')).status).toBe(401)
    expect((await end(here, other!.id)).status).toBe(404)
    expect(await listedFor(here)).toHaveLength(1)
    await until(async () => {
      const entries = await gateway.stage.query<{ actor: string; workspace_id: string | null }>(
        `select actor, workspace_id from identity.audit_log where action = 'session_ended' and subject_id = $1`,
        [other!.id],
      )
      return entries.length === 1 && entries[0]!.actor === 'wsowner' && entries[0]!.workspace_id === null
    })
  })

  test('of another user is none of a caller, also over gRPC', async () => {
    const browser = await signIn(gateway, 'admin')
    const { json } = await browser.call('GET', '/console/api/me/sessions')
    const [{ id: sessionId }] = json['sessions'] as [{ id: string }]
    const identity = await gateway.stage.client(Identity, gateway.rpcPort)
    const caller = gateway.stage.caller({ workspaceId: null, actor: 'analyst' })
    const { sessions } = await identity.listSessions(caller, {})
    expect(sessions.map(({ id }) => id)).not.toContain(sessionId)
    await expect(identity.endSession(caller, { sessionId })).rejects.toMatchObject({ code: 'not_found' })
    expect((await browser.call('GET', '/api/v1/me')).status).toBe(200)
  })

  test('keeps working while the wallet is down', async () => {
    const browser = await signIn(gateway, 'editor')
    await gateway.lever('/dev/outage', { enabled: true })
    expect((await browser.call('GET', newsletter)).status).toBe(200)
    await gateway.lever('/dev/outage', { enabled: false })
  })

  test('ends after two idle hours, and after twelve in any case', async () => {
    const start = Date.now()
    const hours = (count: number) => gateway.stage.clock.set(new Date(start + count * 3_600_000))
    const idle = await signIn(gateway, 'editor')
    const busy = await signIn(gateway, 'editor')
    for (let hour = 1.5; hour < 12; hour += 1.5) {
      hours(hour)
      expect((await busy.call('GET', '/api/v1/me')).status).toBe(200)
    }
    expect((await idle.call('GET', '/api/v1/me')).status).toBe(401)
    hours(12.1)
    expect((await busy.call('GET', '/api/v1/me')).status).toBe(401)
  })

  test('is not extended by requests in the background', async () => {
    const start = Date.now()
    const hours = (count: number) => gateway.stage.clock.set(new Date(start + count * 3_600_000))
    const unattended = await signIn(gateway, 'editor')
    const read = () => unattended.call('GET', '/api/v1/me', { headers: { 'x-background-request': 'true' } })
    for (const hour of [0.5, 1, 1.5]) {
      hours(hour)
      expect((await read()).status).toBe(200)
    }
    hours(2.1)
    expect((await read()).status).toBe(401)
  })

  test('is ended by signing out, which needs the CSRF token', async () => {
    const browser = await signIn(gateway, 'editor')
    const refused = await gateway.call('POST', '/console/auth/sign-out', { headers: { cookie: browser.cookie } })
    expect(refused.status).toBe(403)
    const done = await browser.call('POST', '/console/auth/sign-out')
    expect(done.status).toBe(200)
    expect(done.headers.getSetCookie()[0]).toMatch(/^session=;.*Max-Age=0/)
    expect((await browser.call('GET', '/api/v1/me')).status).toBe(401)
    expect((await browser.call('POST', '/console/auth/sign-out')).status).toBe(401)
  })
})
