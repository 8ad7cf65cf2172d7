import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

describe('a sign-in that failed in a browser', () => {
  const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  const begun = async () => {
    const { headers } = await gateway.call('GET', '/console/auth/sign-in')
    const state = new URL(headers.get('location')!).searchParams.get('state')!
    return { state, cookie: `sign_in_state=${state}` }
  }
  const back = (search: string, cookie = '') =>
    gateway.call('GET', `/console/auth/callback?${search}`, { headers: { ...html, cookie } })

  function expectFailure(answer: Awaited<ReturnType<typeof back>>, reason: string) {
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(
      new RegExp(`^/console/auth/failed\\?reason=${reason}&reference=[0-9a-f-]{36}$`),
    )
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie().join()).not.toMatch(/\bsession=/)
    expect(answer.text).toBe('')
    return gateway.call('GET', answer.headers.get('location')!, { headers: html })
  }

  test.each([
    ['a state of another browser', 'state=other', 'state', 400],
    ['no state', '', 'state', 400],
    ['no token', 'state=STATE', 'token', 401],
    ['an expired token', 'state=STATE&sso_token=wallet-session-dev-expired', 'token', 401],
  ])('because of %s goes to an address without the token, which says so', async (_, search, reason, status) => {
    const { state, cookie } = await begun()
    const token = search.includes('sso_token') ? '' : '&code=wallet-session-secret'
    const page = await expectFailure(await back(search.replace('STATE', state) + token, cookie), reason)
    expect(page.status).toBe(status)
    expect(page.headers.get('x-error-reason')).toBe(reason)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(page.text).toContain('<a href="/console/auth/sign-in">Sign in again</a>')
    expect(page.text).not.toContain('wallet-session')
  })

  test('because the wallet does not answer says so, and its state is used', async () => {
    const { state, cookie } = await begun()
    await gateway.lever('/dev/outage', { enabled: true })
    try {
      const answer = await back(`state=${state}&sso_token=wallet-session-dev-owner`, cookie)
      expect(answer.headers.getSetCookie()[0]).toMatch(/^sign_in_state=;.*Max-Age=0/)
      const page = await expectFailure(answer, 'unavailable')
      expect([page.status, page.headers.get('x-error-reason')]).toEqual([503, 'unavailable'])
    } finally {
      await gateway.lever('/dev/outage', { enabled: false })
    }
  })

  test('refers to the request that failed, and shows no other text of its address', async () => {
    const answer = await back('state=other')
    const reference = answer.headers.get('x-correlation-id')!
    expect((await expectFailure(answer, 'state')).text).toContain(`<code>${reference}</code>`)
    const forged = '/console/auth/failed?reason=state&reference=%3Cb%3Ecall-555-1234&href=//evil.test&to=javascript:x'
    const { text } = await gateway.call('GET', forged, { headers: html })
    expect(text).not.toMatch(/555|evil|javascript/)
    for (const search of ['', '?reason=', '?reason=other', '?reason=constructor'])
      expect((await gateway.call('GET', `/console/auth/failed${search}`)).status).toBe(404)
  })

  test('answers a program, which has no address bar, at once', async () => {
    const { status, headers } = await gateway.call('GET', '/console/auth/callback?state=other&sso_token=x')
    expect([status, headers.get('location')]).toEqual([400, null])
  })
})
