// This file has over 300 lines because its tests share one started set of services.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { contact } from '@lettergate/gateway/test/people-and-senders'

const consoleNewsletter = '/console/api/organizations/acme/workspaces/newsletter'

let gateway: GatewayStage
let browser: Browser
beforeAll(async () => {
  gateway = await gatewayStage()
  browser = await signIn(gateway, 'editor')
  await until(async () => (await gateway.stage.query('select 1 from contacts.workspaces')).length === 4, {
    what: 'the workspaces that the gateway announces',
  })
})
afterAll(() => gateway.close())

const post = (path: string, body: object) => gateway.call('POST', `${newsletter}${path}`, { as: 'editor', body })
const upsert = (body: object) => post('/contacts/upsert', { email: 'ada@b.test', source: 'form', ...body })
const lookup = (email: string) =>
  gateway.call('GET', `${newsletter}/contacts/lookup?email=${encodeURIComponent(email)}`, { as: 'analyst' })

test('create_only refuses a known address, whatever the body says, and changes nothing', async () => {
  const create = (query: string, body: object) =>
    post(`/contacts/upsert?create_only=${query}`, { email: 'known@b.test', source: 'form', ...body })
  expect(await create('true', { first_name: 'Ada' })).toMatchObject({ status: 200, json: { created: true } })
  for (const body of [{}, { create_only: false }, { create_only: null }]) {
    const refused = await create('true', { first_name: 'Other', email: ' KNOWN@b.test', ...body })
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('already') })
    expect(refused.headers.get('x-error-reason')).toBe('contact_exists')
  }
  expect(await create('maybe', {})).toMatchObject({ status: 422 })
  expect(await lookup('known@b.test')).toMatchObject({ json: { contact: { first_name: 'Ada' } } })
  expect(await create('false', { first_name: 'New' })).toMatchObject({ status: 200, json: { created: false } })
})

describe('custom fields', () => {
  const options = ['free', 'paid', 'Team & Co']
  const fields: Record<string, { good: unknown[]; bad: unknown[]; options?: string[] }> = {
    text: { good: ['Ada', '', 'å'.repeat(500)], bad: [5, true, ['a'], {}, 'x'.repeat(501)] },
    long_text: { good: ['x'.repeat(10_000)], bad: ['x'.repeat(10_001), 1] },
    integer: { good: [0, -3, 9_007_199_254_740_991], bad: [1.5, '1', 9_007_199_254_740_992, true] },
    decimal: { good: [1.5, -0.25, 3], bad: ['1.5', true, [1]] },
    boolean: { good: [true, false], bad: ['true', 0, 1] },
    date: { good: ['2036-02-29'], bad: ['2035-02-30', '2035-02-29', '35-1-1', '2035-01-01T00:00:00Z', 20350101] },
    datetime: {
      good: ['2035-02-28T10:00:00Z', '2035-02-28T10:00:00.123+02:00'],
      bad: [
        '2035-02-30T10:00:00Z',
        '2035-02-28T10:00:00',
        '2035-02-28',
        '2035-02-28T24:00:00Z',
        '2035-02-28 10:00:00Z',
      ],
    },
    single_choice: { options, good: ['paid', 'Team & Co'], bad: ['gold', '', ['paid'], 1] },
    multiple_choice: {
      options,
      good: [[], ['paid'], ['paid', 'free']],
      bad: ['paid', ['gold'], ['paid', 'paid'], [1]],
    },
    url: {
      good: ['https://example.com/a?b=c#d', 'http://example.com'],
      bad: [
        'ftp://example.com',
        'javascript:alert(1)',
        'example.com',
        'https:example.com',
        ' https://example.com',
        'https://',
        5,
      ],
    },
  }
  const types = Object.keys(fields)
  beforeAll(async () => {
    for (const type of types) {
      const { status, json } = await post('/contact-field-definitions', {
        field_key: `a_${type}`,
        label: `A ${type}`,
        field_type: type,
        ...(fields[type]!.options ? { options } : {}),
      })
      expect({ status, json }).toEqual({
        status: 200,
        json: { field_definition: { id: expect.any(String), field_key: `a_${type}`, field_type: type, version: 1 } },
      })
    }
  })

  test.each(types)('a %s accepts its values, returns them unchanged, and null clears it', async (type) => {
    const key = `a_${type}`
    for (const value of fields[type]!.good) {
      const email = `good.${type}@b.test`
      const answer = await upsert({ email, custom_fields: { [key]: value } })
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
      expect((await lookup(email)).json['contact']).toMatchObject({ custom_fields: { [key]: value } })
      const cleared = await upsert({ email, custom_fields: { [key]: null } })
      expect(cleared.json['contact']).toMatchObject({ custom_fields: {} })
    }
  })

  test.each(types)('a %s refuses invalid values with the name of the key, and changes nothing', async (type) => {
    const key = `a_${type}`
    for (const value of fields[type]!.bad) {
      const email = `bad.${type}@b.test`
      const { status, text } = await upsert({ email, first_name: 'X', custom_fields: { [key]: value } })
      expect({ value, status, names: text.includes(key) }).toEqual({ value, status: 422, names: true })
      expect((await lookup(email)).status).toBe(404)
    }
  })

  test('given keys are set, null keys are cleared, the others do not change', async () => {
    const email = 'merge@b.test'
    await upsert({ email, custom_fields: { a_text: 'one', a_integer: 1, a_boolean: true } })
    const { json } = await upsert({ email, custom_fields: { a_text: 'two', a_integer: null } })
    expect(json['contact']).toMatchObject({ custom_fields: { a_text: 'two', a_boolean: true } })
    expect((await upsert({ email, custom_fields: {} })).json['contact']).toMatchObject({
      custom_fields: { a_text: 'two', a_boolean: true },
    })
  })

  test('another type is 409, a bad definition names its field, and the console lists the current definitions', async () => {
    const define = (body: object) =>
      post('/contact-field-definitions', { field_key: 'a_text', label: 'Again', field_type: 'text', ...body })
    expect((await define({ field_type: 'url' })).status).toBe(409)
    for (const [field, body] of [
      ['field_key', { field_key: 'No' }],
      ['label', { label: ' ' }],
      ['label', { label: 'x'.repeat(161) }],
      ['field_type', { field_type: 'money' }],
      ['options', { options: ['a'] }],
      ['options', { field_key: 'fresh', field_type: 'single_choice' }],
      ['options', { field_key: 'fresh', field_type: 'single_choice', options: ['a', 'a'] }],
      ['options', { field_key: 'fresh', field_type: 'multiple_choice', options: Array.from({ length: 201 }, String) }],
    ] as const) {
      const { status, text } = await define(body)
      expect({ body, status, names: text.includes(field) }).toEqual({ body, status: 422, names: true })
    }
    expect((await define({})).json).toMatchObject({ field_definition: { version: 2 } })
    const { status, json } = await browser.call('GET', `${consoleNewsletter}/contact-field-definitions`)
    const listed = json['field_definitions'] as { field_key: string }[]
    expect(status).toBe(200)
    expect(listed.map((field) => field.field_key)).toEqual(types.map((type) => `a_${type}`).sort())
    expect(listed.find((field) => field.field_key === 'a_text')).toMatchObject({
      label: 'Again',
      version: 2,
      options: [],
    })
    const asBearer = { as: 'editor' }
    expect((await gateway.call('GET', `${consoleNewsletter}/contact-field-definitions`, asBearer)).status).toBe(401)
  })
})

describe('contacts', () => {
  test('an address is trimmed, an internationalised domain is accepted, and both notations find it', async () => {
    const { status, json } = await upsert({ email: '  Bo.Ek@Exämple.com ' })
    expect(status).toBe(200)
    expect(json['contact']).toMatchObject({ email: 'Bo.Ek@Exämple.com', normalized_email: 'bo.ek@xn--exmple-cua.com' })
    for (const email of [' BO.EK@exämple.com ', 'bo.ek@xn--exmple-cua.com']) {
      expect((await lookup(email)).json['contact']).toEqual(json['contact'])
    }
  })

  test('null clears each of the optional fields, and absent fields do not change', async () => {
    const email = 'clear@b.test'
    const all = {
      first_name: 'A',
      last_name: 'B',
      company: 'C',
      country_code: 'SE',
      locale: 'sv',
      phone: '1',
      timezone: 'UTC',
    }
    await upsert({ email, ...all })
    const stored = async () =>
      (
        await gateway.stage.query(
          'select first_name, last_name, company, country_code, locale, phone, timezone from contacts.contacts where email = $1',
          [email],
        )
      )[0]
    const left: Record<string, string | null> = { ...all }
    for (const field of Object.keys(all)) {
      expect((await upsert({ email, [field]: null })).status).toBe(200)
      left[field] = null
      expect(await stored()).toEqual(left)
    }
  })

  test.each([
    ['email', { email: 'nobody' }],
    ['email', { email: `${'x'.repeat(65)}@b.test` }],
    ['source', { source: '' }],
    ['source', { source: ' ' }],
    ['source', { source: 'x'.repeat(501) }],
    ['first_name', { first_name: 'x'.repeat(161) }],
    ['last_name', { last_name: 'x'.repeat(161) }],
    ['company', { company: 'x'.repeat(201) }],
    ['country_code', { country_code: 'XX' }],
    ['country_code', { country_code: 'SWE' }],
    ['locale', { locale: 'x'.repeat(501) }],
    ['phone', { phone: 'x'.repeat(501) }],
    ['timezone', { timezone: 'x'.repeat(501) }],
    ['tags', { tags: ['x'.repeat(101)] }],
    ['tags', { tags: [''] }],
    ['tags', { tags: null }],
    ['tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
    ['is_legacy', { is_legacy: null }],
    ['is_legacy', { is_legacy: 'yes' }],
    ['legacy_consent_evidence', { legacy_consent_evidence: 'x' }],
    ['source_identifier', { source_identifier: '' }],
    ['source_identifier', { source_identifier: 'x'.repeat(501) }],
    ['source_metadata', { source_metadata: [] }],
    ['source_workspace', { source_workspace: 'x'.repeat(501) }],
    ['custom_fields', { custom_fields: { never_defined: 1 } }],
  ])('a bad %s is 422, is named, and changes nothing', async (field, part) => {
    const known = { email: 'known@b.test', first_name: 'Ada', tags: ['kept'] }
    await upsert(known)
    const before = (await lookup('known@b.test')).json
    const { status, text } = await upsert({ email: 'known@b.test', first_name: 'Changed', ...part })
    expect({ status, names: text.includes(field) }).toEqual({ status: 422, names: true })
    expect((await lookup('known@b.test')).json).toEqual(before)
  })

  test('fifty tags are accepted, and a country code in lower case too', async () => {
    const tags = Array.from({ length: 50 }, (_, n) => `t${n}`)
    const { json } = await upsert({ email: 'fifty@b.test', tags, country_code: 'de' })
    expect(json['contact']).toMatchObject({ tags, country_code: 'DE' })
  })

  test('legacy consent is classified only for a legacy contact, and blank or invalid evidence is not documentation', async () => {
    const classified = async (body: object) =>
      (
        (await upsert({ email: `${randomUUID()}@b.test`, ...body })).json['contact'] as {
          legacy_consent_classification: string | null
        }
      ).legacy_consent_classification
    const whole = { captured_at: '2019-05-01', source: 'fair', wording: 'yes please' }
    expect(await classified({})).toBeNull()
    expect(await classified({ legacy_consent_evidence: whole })).toBeNull()
    expect(await classified({ is_legacy: false, legacy_consent_evidence: whole })).toBeNull()
    expect(await classified({ is_legacy: true })).toBe('undocumented')
    expect(await classified({ is_legacy: true, legacy_consent_evidence: {} })).toBe('undocumented')
    expect(await classified({ is_legacy: true, legacy_consent_evidence: { source: ' ', wording: '' } })).toBe(
      'undocumented',
    )
    expect(await classified({ is_legacy: true, legacy_consent_evidence: { ...whole, wording: ' ' } })).toBe('partial')
    expect(
      await classified({ is_legacy: true, legacy_consent_evidence: { ...whole, captured_at: '2035-02-30T10:00:00Z' } }),
    ).toBe('partial')
    expect(await classified({ is_legacy: true, legacy_consent_evidence: whole })).toBe('documented')
  })

  test('all problems that the document describes are named together', async () => {
    const empty = await upsert({ email: 'none', source: '', source_identifier: '' })
    const problems = /email must be.*source must not.*source_identifier must not/s
    expect([empty.status, empty.text]).toEqual([422, expect.stringMatching(problems)])
    const left = await post(`/audiences/${randomUUID()}/unsubscribe`, { source: '' })
    expect([left.status, left.text]).toEqual([422, expect.stringMatching(/contact_id is required.*source must not/s)])
    const options = Array.from({ length: 201 }, (_, n) => `option ${n}`)
    const many = await post('/contact-field-definitions', { field_key: '9', label: 'x', field_type: 'text', options })
    expect([many.status, many.text]).toEqual([422, expect.stringMatching(/field_key must.*options must have at most/s)])
  })

  test('a source identifier of another address is 409', async () => {
    const identity = { source: 'crm', source_identifier: '42' }
    expect((await upsert({ email: 'first@b.test', ...identity })).status).toBe(200)
    expect((await upsert({ email: 'first@b.test', ...identity })).status).toBe(200)
    expect((await upsert({ email: 'second@b.test', ...identity })).status).toBe(409)
    expect((await lookup('second@b.test')).status).toBe(404)
  })
})

describe('audiences', () => {
  test('are created, listed, shown with their active members, and archived', async () => {
    const slug = `flow-${randomUUID().slice(0, 8)}`
    const made = await post('/audiences', { name: 'Flow', slug, purpose: 'to test' })
    expect(made.status).toBe(201)
    const { id } = made.json['audience'] as { id: string }
    const person = await contact(gateway)
    const consent = { contact_id: person, source: 'form', wording_version: '1' }
    expect((await post(`/audiences/${id}/subscribe`, consent)).status).toBe(200)

    const show = () => gateway.call('GET', `${newsletter}/audiences/${id}`, { as: 'analyst' })
    const shown = { id, name: 'Flow', slug, purpose: 'to test', is_archived: false, active_member_count: 1 }
    expect((await show()).json).toEqual({ audience: shown })
    for (let again = 0; again < 2; again += 1) {
      const archived = await post(`/audiences/${id}/archive`, {})
      expect([archived.status, archived.json]).toEqual([200, { archived: true }])
    }
    expect((await show()).json).toEqual({ audience: { ...shown, is_archived: true } })
    const { json } = await gateway.call('GET', `${newsletter}/audiences`, { as: 'analyst' })
    expect(json['audiences']).toContainEqual({ id, name: 'Flow', slug, is_archived: true })

    const refused = await post(`/audiences/${id}/subscribe`, consent)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('archived')])
    expect((await post('/audiences', { name: 'Flow', slug, purpose: 'again' })).status).toBe(409)
    const elsewhere = `/api/v1/organizations/globex/workspaces/main/audiences`
    expect((await gateway.call('GET', elsewhere, { as: 'outsider' })).json).toEqual({ audiences: [] })
    for (const method of ['GET', 'POST']) {
      const path = `${elsewhere}/${id}${method === 'GET' ? '' : '/archive'}`
      expect(
        (await gateway.call(method, path, { as: 'outsider', ...(method === 'GET' ? {} : { body: {} }) })).status,
      ).toBe(404)
    }
  })
})
