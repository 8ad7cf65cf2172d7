import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { languages } from '../src/public/preference-words.ts'
import { signIn } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage({ RATE_LIMIT_PREFERENCES_PER_MINUTE: '5', RATE_LIMIT_SIGN_IN_PER_MINUTE: '3' })
})
afterAll(() => gateway.close())

let unsubscribed = false
const link = (over: object = {}) => ({
  maskedEmail: 'a•••@b.test',
  scope: 'audience',
  audienceName: 'News & <Views>',
  workspaceName: 'Acme',
  isAged: false,
  isUnsubscribed: unsubscribed,
  ...over,
})
beforeEach(() => {
  unsubscribed = false
  gateway.asked.length = 0
  gateway.contacts['describePreferenceLink'] = () => link()
  gateway.contacts['usePreferenceLink'] = () => {
    unsubscribed = true
    return { unsubscribed: true, scope: 'audience' }
  }
})

const forged = () => {
  throw new Fault('invalid_argument', 'invalid_token', 'This token is not ours.')
}

describe('the hosted page', () => {
  test.each(['/preferences/page-1', '/preferences/one-click/page-2'])(
    '%s shows what will stop and unsubscribes nobody',
    async (path) => {
      const { status, text, headers } = await gateway.call('GET', path)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("form-action 'self'")
      expect(headers.getSetCookie()).toEqual([])
      expect(text).toContain('a•••@b.test')
      expect(text).toContain('News &amp; &lt;Views&gt;')
      expect(text).toContain(`<form method="post" action="/preferences/${path.split('/').at(-1)!}">`)
      expect(text).not.toMatch(/<script|older email/)
      expect(gateway.asked.map(({ method }) => method)).toEqual(['describePreferenceLink'])
      expect(gateway.asked[0]!.scope.caller).toMatchObject({
        actor: 'recipient',
        actorKind: 'recipient',
        workspaceId: null,
      })
    },
  )

  test('says when the link is from an older email, and when it is done already', async () => {
    gateway.contacts['describePreferenceLink'] = () => link({ isAged: true })
    expect((await gateway.call('GET', '/preferences/aged')).text).toContain('This link comes from an older email')
    gateway.contacts['describePreferenceLink'] = () => link({ isUnsubscribed: true })
    const done = await gateway.call('GET', '/preferences/done')
    expect(done.text).toContain('You are unsubscribed')
    expect(done.text).not.toContain('<form')
  })

  test.each(languages)('speaks %s when the recipient does', async (language) => {
    gateway.contacts['describePreferenceLink'] = () => link({ locale: `${language}-XX` })
    const { text, headers } = await gateway.call('GET', `/preferences/in-${language}`, {
      headers: { 'accept-language': 'en' },
    })
    expect(text).toContain(`<html lang="${language}">`)
    expect(headers.get('content-language')).toBe(language)
  })

  test('follows the browser when the recipient has no locale, and English otherwise', async () => {
    expect(
      (await gateway.call('GET', '/preferences/l1', { headers: { 'accept-language': 'it, sv;q=0.8' } })).text,
    ).toContain('lang="sv"')
    expect((await gateway.call('GET', '/preferences/l2', { headers: { 'accept-language': 'it' } })).text).toContain(
      'lang="en"',
    )
  })

  test.each(['GET', 'POST'])('%s with a forged, tampered or foreign token is 400', async (method) => {
    gateway.contacts['describePreferenceLink'] = forged
    gateway.contacts['usePreferenceLink'] = forged
    for (const [index, token] of ['forged', 'x'.repeat(5_000), '%00', '%zz', '%ED%A0%80'].entries()) {
      const { status, headers } = await gateway.call(
        method,
        `/preferences/${index % 2 ? 'one-click/' : ''}${token}-${method}`,
      )
      expect(status).toBe(400)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })
})

describe('using a link', () => {
  test.each([
    ['no body', undefined, {}],
    ['the one-click form', 'List-Unsubscribe=One-Click', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['broken JSON', '{"', { 'content-type': 'application/json' }],
    ['multipart', '--x', { 'content-type': 'multipart/form-data' }],
    ['a large body', 'x'.repeat(100_000), { 'content-type': 'text/plain' }],
  ])('takes %s, sets no cookie and redirects nowhere', async (name, body, headers) => {
    const answer = await gateway.call('POST', `/preferences/one-click/${encodeURIComponent(name)}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ unsubscribed: true, scope: 'audience' })
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(gateway.asked[0]!.request).toMatchObject({ via: 'one_click', token: name })
  })

  test('answers a page to a browser and JSON to everybody else', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const page = await gateway.call('POST', '/preferences/accept-1', { headers: browser })
    expect(page.status).toBe(200)
    expect(page.text).toContain('You are unsubscribed')
    expect(gateway.asked[0]!.request).toMatchObject({ via: 'preference_page' })
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect((await gateway.call('POST', '/preferences/accept-2', { headers: { accept } })).json).toEqual({
        unsubscribed: true,
        scope: 'audience',
      })
    }
  })

  test('an outage is 503, not a false promise', async () => {
    gateway.contacts['usePreferenceLink'] = () => {
      throw new Fault('unavailable', 'database', 'The database cannot be reached right now. Try again in a moment.')
    }
    expect((await gateway.call('POST', '/preferences/outage')).status).toBe(503)
  })
})

describe('limits', () => {
  const many = (method: string, path: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => gateway.call(method, path).then(({ status }) => status)))

  test('the page of one link is 429 with Retry-After when it is opened too often, and a valid unsubscribe still works', async () => {
    const statuses = await many('GET', '/preferences/often', 8)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    const over = await gateway.call('GET', '/preferences/often')
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await gateway.call('POST', '/preferences/often')).json).toEqual({ unsubscribed: true, scope: 'audience' })
    expect((await gateway.call('GET', '/preferences/another')).status).toBe(200)
    gateway.contacts['usePreferenceLink'] = forged
    expect((await gateway.call('POST', '/preferences/often')).status).toBe(429)
  })

  test('signing in is limited by address, and the platform gate removes every limit', async () => {
    const from = (address: string) =>
      gateway.call('GET', '/console/auth/sign-in', { headers: { 'x-forwarded-for': `6.6.6.6, ${address}` } })
    const owner = await signIn(gateway, 'owner')
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await from('10.0.0.1')).status).toBe(302)
    expect((await from('10.0.0.1')).status).toBe(429)
    expect((await from('10.0.0.2')).status).toBe(302)
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: false } })
    expect((await from('10.0.0.1')).status).toBe(302)
    expect(await many('GET', '/preferences/unlimited', 8)).toEqual(Array.from({ length: 8 }, () => 200))
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: true } })
  })
})
