import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { languages, wordsIn } from '../src/public/preferences/preference-words.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { withoutDatabase } from './neighbours.ts'
import { audience, subscriber } from './people-and-senders.ts'
import { actionsOf, browser, textOf } from './preference-reading.ts'

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())

const words = wordsIn('en')
const recipient = (more: object = {}) => subscriber(gateway, audienceId, more)
const page = (token: string, headers: Record<string, string> = {}) =>
  gateway.call('GET', `/preferences/${token}`, { headers })
const press = (token: string) => gateway.call('POST', `/preferences/${token}`, { headers: browser })
/** The link that ends all mail of the workspace. */
async function wideLink(contactId: string) {
  const { json } = await gateway.call('POST', `${newsletter}/contacts/${contactId}/preference-token`, {
    as: 'owner',
    body: { scope: 'workspace' },
  })
  return (json['preference_url'] as string).split('/').at(-1)!
}

describe('its language', () => {
  test.each(languages)('is %s when the recipient speaks it, in every state', async (language) => {
    const { contactId, token } = await recipient({ locale: `${language}-XX` })
    const own = wordsIn(language)
    const asked = await page(token, { 'accept-language': 'en, de, fr' })
    expect(asked.headers.get('content-language')).toBe(language)
    expect(asked.text).toContain(`<html lang="${language}"${own.direction === 'rtl' ? ' dir="rtl"' : ''}>`)
    for (const sentence of [own.whatStops, own.unsubscribe, own.stopAllHeading, own.stopAll('Acme Newsletter')]) {
      expect(textOf(asked.text)).toContain(sentence)
    }
    const done = await press(token)
    expect(textOf(done.text)).toContain(own.doneAudience('Acme Newsletter', 'News & <Views>'))
    const ended = await press(await wideLink(contactId))
    expect(textOf(ended.text)).toContain(own.doneAll('Acme Newsletter'))
  })

  test.each([
    [undefined, 'ja, sv;q=0.8', 'sv'],
    [undefined, 'fr;q=0.2, es-MX;q=0.9, en;q=0.5', 'es'],
    [undefined, 'de;q=0, fr', 'fr'],
    [undefined, 'ja', 'en'],
    [undefined, 'ar-EG, en;q=0.5', 'ar'],
    [undefined, '*', 'en'],
    [undefined, ';;q=x,,', 'en'],
    ['ja-JP', 'de-CH', 'de'],
    ['pt-BR', 'de-CH', 'pt'],
    ['SV', 'de', 'sv'],
    ['de_AT', 'fr', 'de'],
  ])('for locale %s and the browser’s %s is %s', async (locale, asked, language) => {
    const { token } = await recipient(locale === undefined ? {} : { locale })
    const { headers } = await page(token, { 'accept-language': asked })
    expect(headers.get('content-language')).toBe(language)
  })

  test('is changed by a link on the page, stays after a button, and an unknown one is ignored', async () => {
    const { token } = await recipient({ locale: 'de' })
    const german = await page(token)
    for (const language of languages) expect(german.text).toContain(`<a href="?lang=${language}" `)
    const arabic = await page(`${token}?lang=ar`)
    expect(arabic.headers.get('content-language')).toBe('ar')
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">')
    const [action] = actionsOf(arabic.text)
    expect(action).toBe(`${token}?lang=ar`)
    expect(textOf((await press(action!)).text)).toContain(wordsIn('ar').doneHeading)
    for (const lang of ['xx', '%3Cscript%3E', 'de&lang=fr', '']) {
      const { text, headers } = await page(`${token}?lang=${lang}`)
      expect(headers.get('content-language')).toBe('de')
      expect(text).not.toContain('script')
    }
  })
})

describe('a link that does not work', () => {
  test('has a page in the language of the browser, which says where the sender is named', async () => {
    const forged = await gateway.call('GET', '/preferences/forged', { headers: { 'accept-language': 'ar' } })
    const own = wordsIn('ar')
    expect(forged.status).toBe(400)
    expect(forged.headers.get('x-error-reason')).toBe('invalid_token')
    expect(forged.headers.get('content-language')).toBe('ar')
    expect(forged.headers.get('content-security-policy')).toContain("style-src 'sha256-")
    for (const sentence of [own.invalidHeading, own.invalid, own.senderInEmail]) {
      expect(textOf(forged.text)).toContain(sentence)
    }
    expect(forged.text).not.toMatch(/Acme|<form|forged/)
    const inGerman = await gateway.call('GET', '/preferences/forged?lang=de')
    expect(textOf(inGerman.text)).toContain(wordsIn('de').invalid)
  })

  test('because a service is down has a page that says to try again', async () => {
    const { token } = await recipient()
    await withoutDatabase(gateway.stage, 'contacts', async () => {
      for (const { status, text, headers } of [await page(token), await press(token)]) {
        expect(status).toBe(503)
        expect(headers.get('x-error-reason')).not.toBeNull()
        expect(textOf(text)).toContain(words.down)
        expect(textOf(text)).not.toContain(words.doneHeading)
      }
    })
  })
})
