import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { languages, wordsIn } from '../src/public/preferences/preference-words.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { audience, isEligible, subscriber } from './people-and-senders.ts'
import { actionsOf, browser, textOf } from './preference-reading.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage({ RATE_LIMIT_PREFERENCES_PER_MINUTE: '20' })
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())

const words = wordsIn('en')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A person who is subscribed to each of these audiences, and the link of the first. */
async function person(names: readonly string[]) {
  const audiences: string[] = []
  for (const name of names) audiences.push(await audience(gateway, name))
  const [first, ...others] = audiences
  const { contactId, token } = await subscriber(gateway, first!)
  for (const other of others) {
    await gateway.call('POST', `${newsletter}/audiences/${other}/subscribe`, {
      as: 'owner',
      body: { contact_id: contactId, source: 'test', wording_version: '1' },
    })
  }
  return { contactId, token, audiences: audiences as [string, string, ...string[]] }
}

/** The form of the page as a browser sends it: its address, and the value of each selected group. */
function formOf(html: string) {
  const [, action, body] =
    /<form method="post" action="(\/preferences\/choices\/[^"]+)"[^>]*>([^]*?)<\/form>/.exec(html) ?? []
  const marked = [...(body ?? '').matchAll(/<input type="radio" name="([^"]+)" value="(\w+)" checked ?\/?>/g)]
  return { action, marked: Object.fromEntries(marked.map(([, name, value]) => [name!, value!])) }
}
const send = (path: string, fields: Record<string, string> | string, headers: Record<string, string> = browser) =>
  gateway.call('POST', path, { headers: { ...form, ...headers }, body: new URLSearchParams(fields).toString() })
const choices = (token: string) => `/preferences/choices/${token}`
const eligible = async (contactId: string, audiences: readonly string[]) =>
  Promise.all(audiences.map((id) => isEligible(gateway, contactId, id)))
const changesOf = (contactId: string) =>
  gateway.stage.query(
    'select id from contacts.consent_events where contact_id = $1 union all select id from contacts.suppressions where contact_id = $1',
    [contactId],
  )

describe('the form of the page', () => {
  test('offers the other subscriptions, and keeps them all when it is sent unchanged', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers', 'Events'])
    const { text } = await gateway.call('GET', `/preferences/${token}`)
    expect(actionsOf(text)[0]).toBe(token)
    const { action, marked } = formOf(text)
    expect(action).toBe(choices(token))
    expect(marked).toEqual({ [audiences[1]]: 'keep', [audiences[2]!]: 'keep' })
    const before = await changesOf(contactId)
    const saved = await send(action!, marked)
    expect(saved.status).toBe(200)
    expect(textOf(saved.text)).toContain(words.nothingLeft)
    expect(await changesOf(contactId)).toEqual(before)
    expect(await eligible(contactId, audiences)).toEqual([true, true, true])
  })

  test('ends several subscriptions, names them, and is safe to repeat', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers', 'Events'])
    const fields = { [audiences[0]]: 'keep', [audiences[1]]: 'leave', [audiences[2]!]: 'leave' }
    const first = await send(choices(token), fields)
    const after = await changesOf(contactId)
    const again = await send(choices(token), fields)
    expect(again.text).toBe(first.text)
    expect(await changesOf(contactId)).toEqual(after)
    expect(textOf(first.text)).toContain(words.savedHeading)
    expect(textOf(first.text)).toContain(words.saved('Acme Newsletter'))
    expect(first.text).toContain('<li><bdi>Offers</bdi></li>')
    expect(await eligible(contactId, audiences)).toEqual([true, false, false])
    expect(formOf(again.text).marked).toEqual({ [audiences[0]]: 'keep' })
    expect((await send(choices(token), fields, { accept: 'application/json' })).json).toEqual({
      left: [
        { audience_id: audiences[2], audience_name: 'Events' },
        { audience_id: audiences[1], audience_name: 'Offers' },
      ],
    })
  })

  test('that keeps everything changes nothing and says so; keeping does not subscribe again', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers'])
    await gateway.call('POST', `/preferences/one-click/${token}`)
    const before = await changesOf(contactId)
    const kept = await send(choices(token), { [audiences[0]]: 'keep', [audiences[1]]: 'keep' })
    expect(textOf(kept.text)).toContain(words.nothingLeft)
    expect(await changesOf(contactId)).toEqual(before)
    expect(await eligible(contactId, audiences)).toEqual([false, true])
  })

  test('is offered after the link was used, without the ended subscription', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers'])
    const done = await gateway.call('POST', `/preferences/${token}`, { headers: browser })
    expect(textOf(done.text)).toContain(words.doneHeading)
    expect(formOf(done.text).marked).toEqual({ [audiences[1]]: 'keep' })
    await send(formOf(done.text).action!, { [audiences[1]]: 'leave' })
    expect(await eligible(contactId, audiences)).toEqual([false, false])
    expect(formOf((await gateway.call('GET', `/preferences/${token}`)).text).action).toBeUndefined()
  })

  test('is not offered to a contact with one subscription, because one button is enough', async () => {
    const { token } = await person(['News'])
    const { text } = await gateway.call('GET', `/preferences/${token}`)
    expect(formOf(text).action).toBeUndefined()
    expect(text).not.toContain('<input')
  })

  test('and its answer are in the language of the page', async () => {
    const { token, audiences } = await person(['News', 'Offers'])
    for (const language of languages) {
      const own = wordsIn(language)
      const { text } = await gateway.call('GET', `${choices(token)}?lang=${language}`)
      for (const sentence of [
        own.subscriptionsHeading('Acme Newsletter'),
        own.choose,
        own.keep,
        own.leave,
        own.confirm,
      ]) {
        expect(textOf(text)).toContain(sentence)
      }
    }
    const { action } = formOf((await gateway.call('GET', `/preferences/${token}?lang=ar`)).text)
    const saved = await send(action!, { [audiences[1]]: 'leave' })
    expect(saved.text).toContain('<html lang="ar" dir="rtl">')
    expect(textOf(saved.text)).toContain(wordsIn('ar').saved('Acme Newsletter'))
  })
})

describe('invalid requests', () => {
  test('names of audiences are escaped, before and after', async () => {
    const evil = '"><script>alert(1)</script>\'&<img src=x onerror=alert(2)>'
    const { token, audiences } = await person(['News', evil])
    const asked = await gateway.call('GET', `/preferences/${token}`)
    const saved = await send(choices(token), { [audiences[1]]: 'leave' })
    for (const { text, headers } of [asked, saved]) {
      expect(text).not.toMatch(/<script|<img/)
      expect(text).toContain(
        '<bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;&lt;img src=x onerror=alert(2)&gt;</bdi>',
      )
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      )
    }
  })

  test('the token of one contact ends no subscription of another', async () => {
    const [mine, theirs] = [await person(['News', 'Offers']), await person(['News', 'Offers'])]
    const before = await changesOf(theirs.contactId)
    const { json } = await send(choices(mine.token), { [theirs.audiences[1]]: 'leave' }, { accept: 'application/json' })
    expect(json).toEqual({ left: [] })
    expect(await changesOf(theirs.contactId)).toEqual(before)
    expect(await eligible(theirs.contactId, theirs.audiences)).toEqual([true, true])
    expect(await eligible(mine.contactId, mine.audiences)).toEqual([true, true])
  })

  test('an audience of another workspace, a missing one and an archived one have the same answer, and none is shown', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers', 'Archived'])
    await gateway.call('POST', `${newsletter}/audiences/${audiences[2]}/archive`, { as: 'owner' })
    const other = await gateway.call('POST', '/api/v1/organizations/globex/workspaces/main/audiences', {
      as: 'outsider',
      body: { name: 'Theirs', slug: `a-${randomUUID()}`, purpose: 'tests' },
    })
    const foreign = (other.json['audience'] as { id: string }).id
    const before = await changesOf(contactId)
    const [of, none] = [
      await send(choices(token), { [foreign]: 'leave' }),
      await send(choices(token), { [randomUUID()]: 'leave' }),
    ]
    expect(of.text).toBe(none.text)
    expect(of.text).not.toMatch(/Theirs|Archived/)
    expect(await changesOf(contactId)).toEqual(before)
    expect((await gateway.call('GET', `/preferences/${token}`)).text).not.toContain('Archived')
  })

  test.each([
    ['a field that is no id', 'x=leave', 422],
    ['a choice that is none', `${randomUUID()}=subscribe`, 422],
    ['more than the form can hold', `${'x'.repeat(70_000)}=leave`, 413],
  ])('%s is refused and changes nothing', async (_, body, status) => {
    const { contactId, token } = await person(['News', 'Offers'])
    const before = await changesOf(contactId)
    expect((await gateway.call('POST', choices(token), { headers: { ...form, ...browser }, body })).status).toBe(status)
    expect(await changesOf(contactId)).toEqual(before)
  })

  test('JSON is 415, and an invalid link is 400 with any form', async () => {
    const { token, audiences } = await person(['News', 'Offers'])
    const json = { headers: { 'content-type': 'application/json' }, body: '{}' }
    expect((await gateway.call('POST', choices(token), json)).status).toBe(415)
    for (const forged of ['forged', `${token}x`, token.slice(0, -1)]) {
      const { status, text } = await send(choices(forged), { [audiences[0]]: 'leave' })
      expect(status).toBe(400)
      expect(textOf(text)).toContain(words.invalid)
    }
  })

  test('guessed links are 429 by address; a valid choice works above the limit of its link', async () => {
    const { contactId, token, audiences } = await person(['News', 'Offers'])
    const from = { ...browser, 'x-forwarded-for': '10.9.0.1' }
    const guesses = Array.from({ length: 21 }, (_, index) => send(choices(`guess-${index}`), {}, from))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    for (let again = 0; again < 22; again += 1) await gateway.call('GET', `/preferences/${token}`)
    const busy = await gateway.call('GET', `/preferences/${token}`)
    expect(busy.status).toBe(429)
    expect(textOf(busy.text)).toContain(words.busy)
    expect((await send(choices(token), { [audiences[0]]: 'leave', [audiences[1]]: 'leave' })).status).toBe(200)
    expect(await eligible(contactId, audiences)).toEqual([false, false])
  })
})
