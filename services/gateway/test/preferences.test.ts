import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { parseKeyRing, signPreferenceToken } from '../../contacts-consent/src/domain/preference-token.ts'
import { languages } from '../src/public/preference-words.ts'
import { signIn } from './console-session.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { withoutDatabase } from './neighbours.ts'
import { audience, isEligible, subscriber } from './people-and-senders.ts'

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage({ RATE_LIMIT_PREFERENCES_PER_MINUTE: '5', RATE_LIMIT_SIGN_IN_PER_MINUTE: '3' })
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())
afterEach(() => gateway.stage.clock.release())

const recipient = (more: object = {}) => subscriber(gateway, audienceId, more)
const eligible = (contactId: string) => isEligible(gateway, contactId, audienceId)

/** As the edge in front hands it on; what a client claims stands further left. */
const comingFrom = (address: string) => ({ 'x-forwarded-for': `6.6.6.6, ${address}` })

/** What the consent record says of uses of a link. */
const usesOf = (contactId: string) =>
  gateway.stage.query(
    `select kind, actor, actor_kind, evidence->>'via' as via from contacts.consent_events
      where contact_id = $1 and source = 'preference_link' order by id`,
    [contactId],
  )
const use = (via: string) => ({ kind: 'withdrawn', actor: 'recipient', actor_kind: 'recipient', via })

/** Tokens that this stack never signed. */
async function forgedTokens(): Promise<string[]> {
  const { contactId, token } = await recipient()
  const foreign = signPreferenceToken(parseKeyRing(`k1:${Buffer.alloc(32, 2).toString('base64url')}`), {
    workspaceId: contactId,
    contactId,
    audienceId,
    issuedAt: new Date(),
  })
  const [kid, payload, signature] = token.split('.') as [string, string, string]
  const tampered = `${kid}.${payload.startsWith('A') ? 'B' : 'A'}${payload.slice(1)}.${signature}`
  return ['forged', foreign, tampered, token.slice(0, -1), 'x'.repeat(5_000), '%00', '%zz', '%ED%A0%80']
}

describe('the hosted page', () => {
  test.each(['/preferences/', '/preferences/one-click/'])(
    'under %s shows what will stop and unsubscribes nobody',
    async (path) => {
      const { contactId, token } = await recipient()
      const { status, text, headers } = await gateway.call('GET', path + token)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("form-action 'self'")
      expect(headers.getSetCookie()).toEqual([])
      expect(text).toContain('a***@b.test')
      expect(text).toContain('Acme Newsletter')
      expect(text).toContain('News &amp; &lt;Views&gt;')
      expect(text).toContain(`<form method="post" action="/preferences/${token}">`)
      expect(text).not.toMatch(/<script|older email/)
      expect(await usesOf(contactId)).toEqual([])
      expect(await eligible(contactId)).toBe(true)
    },
  )

  test('says when the link is from an older email, and when it is done already', async () => {
    const { token } = await recipient()
    gateway.stage.clock.advance(91 * 24 * 3_600_000)
    expect((await gateway.call('GET', `/preferences/${token}`)).text).toContain('This link comes from an older email')
    await gateway.call('POST', `/preferences/${token}`)
    const done = await gateway.call('GET', `/preferences/${token}`)
    expect(done.text).toContain('You are unsubscribed')
    expect(done.text).not.toContain('<form')
  })

  test.each(languages)('speaks %s when the recipient does', async (language) => {
    const { token } = await recipient({ locale: `${language}-XX` })
    const { text, headers } = await gateway.call('GET', `/preferences/${token}`, {
      headers: { 'accept-language': 'en' },
    })
    expect(text).toContain(`<html lang="${language}">`)
    expect(headers.get('content-language')).toBe(language)
  })

  test('follows the browser when the recipient has no locale, and English otherwise', async () => {
    const { token } = await recipient()
    const page = async (languages: string) =>
      (await gateway.call('GET', `/preferences/${token}`, { headers: { 'accept-language': languages } })).text
    expect(await page('it, sv;q=0.8')).toContain('lang="sv"')
    expect(await page('it')).toContain('lang="en"')
  })

  test.each(['GET', 'POST'])('%s with a forged, tampered or foreign token is 400', async (method) => {
    for (const [index, token] of (await forgedTokens()).entries()) {
      const path = `/preferences/${index % 2 ? 'one-click/' : ''}${token}`
      const { status, headers } = await gateway.call(method, path, { headers: comingFrom(`10.1.0.${index}`) })
      expect({ token, status }).toEqual({ token, status: 400 })
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
  ])('takes %s, sets no cookie and redirects nowhere', async (_, body, headers) => {
    const { contactId, token } = await recipient()
    const answer = await gateway.call('POST', `/preferences/one-click/${token}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ unsubscribed: true, scope: 'audience' })
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(await usesOf(contactId)).toEqual([use('one_click')])
    expect(await eligible(contactId)).toBe(false)
  })

  test('answers a page to a browser and JSON to everybody else', async () => {
    const { contactId, token } = await recipient()
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const page = await gateway.call('POST', `/preferences/${token}`, { headers: browser })
    expect(page.status).toBe(200)
    expect(page.text).toContain('You are unsubscribed')
    expect(await usesOf(contactId)).toEqual([use('preference_page')])
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      expect((await gateway.call('POST', `/preferences/${token}`, { headers: { accept } })).json).toEqual({
        unsubscribed: true,
        scope: 'audience',
      })
    }
  })

  test('an outage is 503, not a false promise', async () => {
    const { contactId, token } = await recipient()
    await withoutDatabase(gateway.stage, 'contacts', async () => {
      expect((await gateway.call('POST', `/preferences/${token}`)).status).toBe(503)
    })
    expect(await eligible(contactId)).toBe(true)
  })
})

describe('limits', () => {
  const many = (method: string, path: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => gateway.call(method, path).then(({ status }) => status)))

  test('the page of one link is 429 with Retry-After when it is opened too often, and a valid unsubscribe still works', async () => {
    const { contactId, token } = await recipient()
    const path = `/preferences/${token}`
    const statuses = await many('GET', path, 8)
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    const over = await gateway.call('GET', path)
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await gateway.call('POST', path)).json).toEqual({ unsubscribed: true, scope: 'audience' })
    expect(await eligible(contactId)).toBe(false)
    const another = await recipient()
    expect((await gateway.call('GET', `/preferences/${another.token}`)).status).toBe(200)
  })

  test('a forged link is 429 when it is used too often', async () => {
    const use = (address: string) =>
      gateway.call('POST', '/preferences/forged-often', { headers: comingFrom(address) }).then(({ status }) => status)
    for (let again = 0; again < 5; again += 1) expect(await use(`10.3.0.${again}`)).toBe(400)
    expect(await use('10.3.0.5')).toBe(429)
  })

  test('whoever guesses links is 429 by address, whatever they guess, and nobody else is', async () => {
    const use = (token: string, address: string, method = 'POST') =>
      gateway.call(method, `/preferences/${token}`, { headers: comingFrom(address) })
    for (let guess = 0; guess < 5; guess += 1) expect((await use(`guess-${guess}`, '10.2.0.1')).status).toBe(400)
    const over = await use('guess-5', '10.2.0.1')
    expect(over.status).toBe(429)
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await use('guess-6', '10.2.0.1', 'GET')).status).toBe(429)
    expect((await use('guess-7', '10.2.0.2')).status).toBe(400)
    const { token } = await recipient()
    expect((await use(token, '10.2.0.1')).json).toEqual({ unsubscribed: true, scope: 'audience' })
  })

  test('signing in is limited by address, and the platform gate removes every limit', async () => {
    const from = (address: string) => gateway.call('GET', '/console/auth/sign-in', { headers: comingFrom(address) })
    const owner = await signIn(gateway, 'owner')
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await from('10.0.0.1')).status).toBe(302)
    expect((await from('10.0.0.1')).status).toBe(429)
    expect((await from('10.0.0.2')).status).toBe(302)
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: false } })
    expect((await from('10.0.0.1')).status).toBe(302)
    const { token } = await recipient()
    expect(await many('GET', `/preferences/${token}`, 8)).toEqual(Array.from({ length: 8 }, () => 200))
    await owner.call('PUT', '/console/api/platform/gates/rate_limit_enabled', { body: { enabled: true } })
  })
})
