import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signPreferenceToken, type PreferenceClaim } from '@lettergate/contacts-consent/preference-token'
import { parseKeyRing } from '@lettergate/contacts-consent/key-ring'
import { wordsIn } from '../src/public/preferences/preference-words.ts'
import { gatewayStage, type GatewayStage } from './gateway-stage.ts'
import { oldSigningKey } from './neighbours.ts'
import { audience, isEligible, subscriber } from './people-and-senders.ts'
import { actionsOf, browser, textOf } from './preference-reading.ts'
import { createSource, grantFor, handIn, signUp } from './subscription-sources.ts'

let gateway: GatewayStage
let audienceId: string
let workspaceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
  const [newsletter] = await gateway.stage.query<{ workspace_id: string }>(
    "select workspace_id from contacts.workspaces where organization = 'acme' and slug = 'newsletter'",
  )
  workspaceId = newsletter!.workspace_id
})
afterAll(() => gateway.close())
afterEach(() => gateway.stage.clock.release())

const words = wordsIn('en')
const recipient = (more: object = {}) => subscriber(gateway, audienceId, more)
const eligible = (contactId: string) => isEligible(gateway, contactId, audienceId)
const page = (token: string, headers: Record<string, string> = {}) =>
  gateway.call('GET', `/preferences/${token}`, { headers })
const press = (token: string) => gateway.call('POST', `/preferences/${token}`, { headers: browser })
/** A link that was signed with the previous key. */
const oldLink = (claim: Partial<PreferenceClaim>) =>
  signPreferenceToken(parseKeyRing(oldSigningKey), {
    workspaceId,
    contactId: randomUUID(),
    audienceId,
    issuedAt: new Date(),
    ...claim,
  })

const changesOf = (contactId: string) =>
  gateway.stage.query(
    'select id from contacts.consent_events where contact_id = $1 union all select id from contacts.suppressions where contact_id = $1',
    [contactId],
  )
const audited = (contactId: string) =>
  gateway.stage.query<{ detail: object; actor: string }>(
    `select detail, actor from identity.audit_log where subject_id = $1 and action = 'preference_link_used' order by occurred_at, id`,
    [contactId],
  )

describe('opening it', () => {
  test.each([
    ['GET', '/preferences/'],
    ['GET', '/preferences/one-click/'],
    ['HEAD', '/preferences/'],
    ['HEAD', '/preferences/one-click/'],
  ])('%s %s unsubscribes nobody, however often', async (method, path) => {
    const { contactId, token } = await recipient()
    const before = await changesOf(contactId)
    for (const headers of [undefined, browser, { accept: 'application/json' }, { purpose: 'prefetch' }]) {
      const { status, text, headers: answered } = await gateway.call(method, path + token, headers && { headers })
      expect(status).toBe(200)
      expect(answered.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answered.getSetCookie()).toEqual([])
      expect(text === '').toBe(method === 'HEAD')
    }
    expect(await changesOf(contactId)).toEqual(before)
    expect(await eligible(contactId)).toBe(true)
  })

  test('it names the workspace, the audience and the address, and offers to stop everything', async () => {
    const { token } = await recipient()
    const { text, headers } = await page(token)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(text).not.toMatch(/<script|javascript:|\son[a-z]+=|https?:|older email/)
    expect(textOf(text)).toContain(words.askAudience('Acme Newsletter', 'News & <Views>'))
    expect(text).toContain('<dd dir="ltr">a***@b.test</dd>')
    expect(actionsOf(text)).toHaveLength(2)
    expect(actionsOf(text)[0]).toBe(token)
    expect(textOf(text)).toContain('Stop all email from Acme Newsletter')
  })

  test('it is one document with a language, a title with the state, one main heading and named buttons', async () => {
    const { token } = await recipient()
    for (const { text } of [await page(token), await press(token)]) {
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
      expect(text.match(/<h1>/g)).toHaveLength(1)
      expect(text).toContain('<meta name="viewport" content="width=device-width,initial-scale=1">')
      const [, title] = /<title>(.*?)<\/title>/.exec(text)!
      const [, heading] = /<h1>(.*?)<\/h1>/.exec(text)!
      expect(title).toBe(`${heading!.replaceAll(/<\/?bdi>/g, '')} · Acme Newsletter`)
      for (const [, label] of text.matchAll(/<button type="submit">(.*?)<\/button>/g)) expect(label).not.toBe('')
    }
  })
})

describe('pressing a button', () => {
  test('of the audience ends only that subscription, and the page still offers to stop everything', async () => {
    const { contactId, token } = await recipient()
    const other = await audience(gateway, 'Other news')
    await gateway.call('POST', `/api/v1/organizations/acme/workspaces/newsletter/audiences/${other}/subscribe`, {
      as: 'owner',
      body: { contact_id: contactId, source: 'test', wording_version: '1' },
    })
    const done = await press(actionsOf((await page(token)).text)[0]!)
    expect(textOf(done.text)).toContain(words.doneHeading)
    expect(textOf(done.text)).toContain(words.doneAudience('Acme Newsletter', 'News & <Views>'))
    expect(textOf(done.text)).toContain('a***@b.test')
    expect(textOf(done.text)).toContain(words.mistake)
    expect(await eligible(contactId)).toBe(false)
    expect(await isEligible(gateway, contactId, other)).toBe(true)

    const [all, ...more] = actionsOf(done.text)
    expect(more).toEqual([])
    const ended = await press(all!)
    expect(textOf(ended.text)).toContain(words.doneAll('Acme Newsletter'))
    expect(actionsOf(ended.text)).toEqual([])
    expect(await isEligible(gateway, contactId, other)).toBe(false)
    const again = await page(token)
    expect(textOf(again.text)).toContain(words.doneAll('Acme Newsletter'))
    expect(actionsOf(again.text)).toEqual([])
  })

  test('is not reverted by signing up again, and the page says so', async () => {
    const email = `${randomUUID()}@b.test`
    const { contactId, token } = await recipient({ email })
    expect(textOf((await press(token)).text)).toContain('Signing up again is not enough.')
    const source = await createSource(gateway)
    const grant = await grantFor(gateway, source.id, 'events.write')
    const body = { ...signUp(audienceId), contact: { email } }
    const { json } = await handIn(gateway, source.slug, { token: grant, body })
    expect(json).toMatchObject({ status: 'suppressed', reason_class: 'suppressed_audience' })
    expect(await eligible(contactId)).toBe(false)
  })

  test('of a link for the whole workspace ends everything', async () => {
    const { contactId } = await recipient()
    const token = oldLink({ contactId, audienceId: null })
    const asked = await page(token)
    expect(textOf(asked.text)).toContain(words.askAllHeading('Acme Newsletter'))
    expect(actionsOf(asked.text)).toEqual([token])
    expect(textOf((await press(token)).text)).toContain(words.doneAll('Acme Newsletter'))
    expect((await gateway.call('POST', `/preferences/one-click/${token}`)).json).toEqual({
      unsubscribed: true,
      scope: 'workspace',
    })
    expect(await eligible(contactId)).toBe(false)
  })
})

describe('an old link', () => {
  test('of ten years ago with the key of that time works like a new one; its age is shown and audited', async () => {
    const { contactId } = await recipient()
    const token = oldLink({ contactId, issuedAt: new Date(Date.now() - 3_650 * 86_400_000) })
    expect(textOf((await page(token)).text)).toContain(words.older)
    expect(await eligible(contactId)).toBe(true)
    const done = await press(token)
    expect(textOf(done.text)).toContain(words.doneHeading)
    expect(textOf(done.text)).toContain(words.older)
    expect(await eligible(contactId)).toBe(false)
    await until(async () => (await audited(contactId)).length === 1)
    expect(await audited(contactId)).toMatchObject([
      { actor: 'recipient', detail: { link_expired: true, scope: 'audience', via: 'preference_page' } },
    ])
  })

  test('is old from exactly the configured age, and a newer one is audited as not expired', async () => {
    const { contactId, token } = await recipient()
    const maxAgeMs = 90 * 86_400_000
    gateway.stage.clock.set(new Date(Date.now() + maxAgeMs - 60_000))
    expect(textOf((await page(token)).text)).not.toContain(words.older)
    await gateway.call('POST', `/preferences/one-click/${token}`)
    gateway.stage.clock.advance(120_000)
    expect(textOf((await page(token)).text)).toContain(words.older)
    await gateway.call('POST', `/preferences/one-click/${token}`)
    await until(async () => (await audited(contactId)).length === 2)
    expect((await audited(contactId)).map(({ detail }) => detail)).toMatchObject([
      { link_expired: false, via: 'one_click' },
      { link_expired: true, via: 'one_click' },
    ])
  })
})

describe('a valid link without a recipient changes nothing and says so:', () => {
  const offersNothing = async (token: string, sentence: string, buttons: number) => {
    for (const answer of [await page(token), await press(token), await page(token)]) {
      expect(answer.status).toBe(200)
      expect(textOf(answer.text)).toContain(sentence)
      expect(actionsOf(answer.text)).toHaveLength(buttons)
    }
    const { status, json } = await gateway.call('POST', `/preferences/one-click/${token}`)
    expect({ status, json }).toEqual({ status: 200, json: { unsubscribed: true, scope: 'audience' } })
  }

  test('a contact that was deleted', async () => {
    const { contactId, token } = await recipient()
    await gateway.stage.query('delete from contacts.contacts where id = $1', [contactId])
    const before = await changesOf(contactId)
    await offersNothing(token, words.nobody('Acme Newsletter'), 0)
    expect(await changesOf(contactId)).toEqual(before)
  })

  test('a test send to an address without a contact', async () => {
    const contactId = randomUUID()
    await offersNothing(oldLink({ contactId }), words.nobody('Acme Newsletter'), 0)
    expect(await changesOf(contactId)).toEqual([])
  })

  test('an audience that was deleted, from which everything can still be stopped', async () => {
    const { contactId } = await recipient()
    const token = oldLink({ contactId, audienceId: randomUUID() })
    await offersNothing(token, words.ended('Acme Newsletter'), 1)
    expect(await eligible(contactId)).toBe(true)
    await press(actionsOf((await page(token)).text)[0]!)
    expect(await eligible(contactId)).toBe(false)
  })
})
