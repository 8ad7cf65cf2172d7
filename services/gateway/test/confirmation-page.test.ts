import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '@lettergate/stage'
import { confirmationUrl } from '@lettergate/contacts-consent/confirmation-token'
import { parseKeyRing } from '@lettergate/contacts-consent/key-ring'
import { confirmationWordsIn } from '../src/public/confirmations/confirmation-words.ts'
import { languages, wordsIn } from '../src/public/preferences/preference-words.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { oldSigningKey, withoutDatabase } from './neighbours.ts'
import { audience, isEligible } from './people-and-senders.ts'
import { browser, textOf } from './preference-reading.ts'
import { createSource, grantFor, handIn, signUp } from './subscription-sources.ts'

let gateway: GatewayStage
let audienceId: string
let source: Awaited<ReturnType<typeof createSource>>
let grant: string
let workspaceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
  source = await createSource(gateway)
  grant = await grantFor(gateway, source.id, 'events.write')
  const [row] = await gateway.stage.query<{ workspace_id: string }>(
    `update contacts.subscription_sources set confirmation_sender_identity_id = gen_random_uuid(),
            confirmation_content_version_id = gen_random_uuid() where id = $1 returning workspace_id`,
    [source.id],
  )
  workspaceId = row!.workspace_id
})
afterAll(() => gateway.close())

/** The token of a link that was signed with the previous key. */
const tokenOf = (confirmationId: string) =>
  confirmationUrl('', parseKeyRing(oldSigningKey), { workspaceId, confirmationId }).split('/').at(-1)!

/** A sign-up that waits, with the token of its link. */
async function waiting(more: object = {}) {
  const body = signUp(audienceId)
  body.contact = { ...body.contact, ...more }
  expect((await handIn(gateway, source.slug, { token: grant, body })).json['reason_class']).toBe('confirmation_pending')
  const [found] = await gateway.stage.query<{ id: string; contact_id: string }>(
    `select s.id, s.contact_id from contacts.signup_confirmations s join contacts.contacts c on c.id = s.contact_id
      where c.email = $1`,
    [body.contact['email']],
  )
  return { contactId: found!.contact_id, confirmationId: found!.id, token: tokenOf(found!.id) }
}

const page = (token: string, headers: Record<string, string> = {}) =>
  gateway.call('GET', `/confirmations/${token}`, { headers })
const press = (token: string, headers: Record<string, string> = browser) =>
  gateway.call('POST', `/confirmations/${token}`, { headers })
const end = (confirmationId: string) =>
  gateway.stage.query('update contacts.signup_confirmations set expires_at = now() where id = $1', [confirmationId])

describe('opening it', () => {
  test.each(['GET', 'HEAD'])('%s confirms nobody, however often', async (method) => {
    const { contactId, token } = await waiting()
    for (const headers of [undefined, browser, { accept: 'application/json' }, { purpose: 'prefetch' }]) {
      const answer = await gateway.call(method, `/confirmations/${token}`, headers && { headers })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect(await isEligible(gateway, contactId, audienceId)).toBe(false)
    const events = await gateway.stage.query('select 1 from contacts.consent_events where contact_id = $1', [contactId])
    expect(events).toHaveLength(1)
  })

  test('it says who asks, for what, and what to do if it was somebody else', async () => {
    const { token } = await waiting()
    const { text, headers } = await page(token)
    const words = confirmationWordsIn('en')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(text).not.toMatch(/<script|javascript:|\son[a-z]+=|https?:/)
    expect(textOf(text)).toContain(words.ask('Acme Newsletter', 'News & <Views>'))
    expect(textOf(text)).toContain(words.notYou)
    expect(text.match(/<button type="submit">/g)).toHaveLength(1)
    expect(text).toContain(`<form method="post" action="/confirmations/${token}">`)
    expect(text).toContain('***@')
  })
})

describe('the button', () => {
  test('makes the contact a member, and a second use shows the same', async () => {
    const { contactId, token } = await waiting()
    for (let use = 0; use < 2; use += 1) {
      const { status, text } = await press(token)
      expect(status).toBe(200)
      expect(textOf(text)).toContain(confirmationWordsIn('en').done('Acme Newsletter', 'News & <Views>'))
      expect(text).not.toContain('<button')
    }
    expect(await isEligible(gateway, contactId, audienceId)).toBe(true)
  })

  test('answers JSON to a program, whatever the body is', async () => {
    const { token } = await waiting()
    for (const body of ['', '{"a":', 'x'.repeat(10_000)]) {
      const answer = await fetch(`${gateway.baseUrl}/confirmations/${token}`, { method: 'POST', body })
      expect(await answer.json()).toEqual({ confirmed: true, state: 'confirmed' })
    }
  })

  test('after the expiry says to sign up again', async () => {
    const { contactId, confirmationId, token } = await waiting()
    await end(confirmationId)
    for (const { text } of [await page(token), await press(token)]) {
      expect(textOf(text)).toContain(confirmationWordsIn('en').expired)
      expect(text).not.toContain('<button')
    }
    expect((await press(token, {})).json).toEqual({ confirmed: false, state: 'expired' })
    expect(await isEligible(gateway, contactId, audienceId)).toBe(false)
  })

  test('of a confirmation that nobody has says that it cannot be confirmed', async () => {
    const token = tokenOf(randomUUID())
    for (const { status, text } of [await page(token), await press(token)]) {
      expect(status).toBe(200)
      expect(textOf(text)).toContain(confirmationWordsIn('en').ended)
      expect(text).not.toContain('<dl>')
    }
    expect((await press(token, {})).json).toEqual({ confirmed: false, state: 'gone' })
  })

  test.each(['x', 'k1.AAAA.BBBB', '%00', `${'a'.repeat(5_000)}`])('of the forged link %p is 400', async (token) => {
    for (const { status, text } of [await page(token), await press(token)]) {
      expect(status).toBe(400)
      expect(textOf(text)).toContain(wordsIn('en').invalidHeading)
    }
  })
})

describe('its language', () => {
  test.each(languages)('is %s when the person speaks it, in every state', async (language) => {
    const { token, confirmationId } = await waiting({ locale: `${language}-XX` })
    const own = confirmationWordsIn(language)
    const asked = await page(token)
    expect(asked.headers.get('content-language')).toBe(language)
    expect(textOf(asked.text)).toContain(own.ask('Acme Newsletter', 'News & <Views>'))
    expect(textOf(asked.text)).toContain(own.button)
    expect(textOf((await press(token)).text)).toContain(own.doneHeading)
    await gateway.stage.query(
      `update contacts.signup_confirmations set state = 'expired', confirmed_event_id = null where id = $1`,
      [confirmationId],
    )
    expect(textOf((await page(token)).text)).toContain(own.expiredHeading)
  })

  test('is changed by a link on the page, and stays after the button', async () => {
    const { token } = await waiting({ locale: 'de' })
    const arabic = await page(`${token}?lang=ar`)
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">')
    expect(arabic.text).toContain(`action="/confirmations/${token}?lang=ar"`)
    expect(textOf((await press(`${token}?lang=ar`)).text)).toContain(confirmationWordsIn('ar').doneHeading)
  })
})

test('while a service is down, it says to try again and promises nothing about the link, which expires', async () => {
  const { token } = await waiting()
  await withoutDatabase(gateway.stage, 'contacts', async () => {
    for (const { status, text } of [await page(token), await press(token)]) {
      expect(status).toBe(503)
      expect(textOf(text)).toContain(wordsIn('en').down)
      expect(textOf(text)).not.toContain('expire')
    }
  })
})
