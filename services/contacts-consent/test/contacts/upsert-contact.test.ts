import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { UpsertContactRequestSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

type Request = MessageInitShape<typeof UpsertContactRequestSchema>
let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const naming = (paths: string[]) => ({ updateMask: { paths } })
const upsert = (request: Omit<Request, '$typeName'>) =>
  s.contacts.upsertContact(s.us, { source: 'test', ...request } as Request)

test('all spellings of an address belong to one contact', async () => {
  const first = await upsert({ email: ' Åsa.Jonsson@Exämple.com', firstName: 'x' }).catch((error: unknown) => error)
  expect(first).toMatchObject({ code: 'invalid_argument', reason: 'email' })
  const made = await upsert({ email: ' Asa.Jonsson@Exämple.com ', firstName: 'Åsa' })
  const again = await upsert({ email: 'asa.jonsson@xn--exmple-cua.com' })
  expect(made.created).toBe(true)
  expect(made.contact).toMatchObject({
    email: 'Asa.Jonsson@Exämple.com',
    normalizedEmail: 'asa.jonsson@xn--exmple-cua.com',
  })
  expect(again).toMatchObject({ created: false, contact: { id: made.contact!.id, firstName: 'Åsa' } })
})

test('a named field that is unset is cleared, a field not named stays', async () => {
  const email = 'clear@example.com'
  await upsert({
    email,
    firstName: 'Ada',
    lastName: "O'Neil",
    company: 'Acme',
    countryCode: 'se',
    locale: 'sv',
    phone: '1',
    timezone: 'UTC',
    tags: ['vip', 'vip', ' new '],
    isLegacy: true,
    legacyConsentEvidence: { captured_at: '2019-05-01', source: 'fair', wording: 'yes please' },
    ...naming(
      'first_name last_name company country_code locale phone timezone tags is_legacy legacy_consent_evidence'.split(
        ' ',
      ),
    ),
  })
  const { contact } = await upsert({ email, ...naming(['company', 'tags']) })
  expect(contact).toMatchObject({
    firstName: 'Ada',
    lastName: "O'Neil",
    countryCode: 'SE',
    legacyConsentClassification: 'documented',
    tags: [],
  })
  expect(contact!.company).toBeUndefined()
})

test('without a mask the fields that are set are the ones named', async () => {
  await upsert({ email: 'bare@example.com', firstName: 'Ada', tags: ['a'] })
  const { contact } = await upsert({ email: 'bare@example.com', lastName: 'L' })
  expect(contact).toMatchObject({ firstName: 'Ada', lastName: 'L', tags: ['a'] })
})

test('consent of a legacy contact is classified by its evidence, and consent of other contacts is not classified', async () => {
  const classify = async (request: Partial<Request>) =>
    (await upsert({ email: `${newId()}@example.com`, ...request })).contact!.legacyConsentClassification
  expect(
    await classify({ legacyConsentEvidence: { captured_at: '2019-05-01', source: 'x', wording: 'y' } }),
  ).toBeUndefined()
  expect(await classify({ isLegacy: true })).toBe('undocumented')
  expect(await classify({ isLegacy: true, legacyConsentEvidence: { source: 'x', wording: ' ' } })).toBe('partial')
  expect(
    await classify({ isLegacy: true, legacyConsentEvidence: { captured_at: '2019-05-01', source: 'x', wording: 'y' } }),
  ).toBe('documented')
})

test('every upsert appends its provenance, also a repeat', async () => {
  const ask = {
    email: 'provenance@example.com',
    sourceIdentifier: 'p1',
    sourceMetadata: { row: 7 },
    sourceWorkspace: 'old',
  }
  const { contact } = await upsert(ask)
  await upsert(ask)
  const rows = await s.stage.query('select * from contacts.contact_provenance where contact_id = $1 order by id', [
    contact!.id,
  ])
  expect(rows).toMatchObject([
    {
      source: 'test',
      source_identifier: 'p1',
      source_metadata: { row: 7 },
      source_workspace: 'old',
      actor: 'tester',
      is_creation: true,
    },
    { is_creation: false },
  ])
})

test('a source identity belongs to one contact; using it for another address is a conflict that changes nothing', async () => {
  await upsert({ email: 'one@example.com', source: 'crm', sourceIdentifier: '42' })
  await upsert({ email: 'one@example.com', source: 'crm', sourceIdentifier: '42' })
  await expect(upsert({ email: 'two@example.com', source: 'crm', sourceIdentifier: '42' })).rejects.toMatchObject({
    code: 'conflict',
  })
  await expect(s.contacts.lookupContact(s.us, { email: 'two@example.com' })).rejects.toMatchObject({
    code: 'not_found',
  })
  const elsewhere = await s.contacts.upsertContact(s.them, {
    email: 'two@example.com',
    source: 'crm',
    sourceIdentifier: '42',
  })
  expect(elsewhere.created).toBe(true)
})

describe('custom fields', () => {
  const define = (key: string, type: string, options: string[] = [], version = 1) =>
    s.stage.query(
      `insert into contacts.field_definitions (workspace_id, id, field_key, version, label, field_type, options, created_by)
       values ($1, $2, $3, $4, $3, $5, $6, 'test')`,
      [s.ours, newId(), key, version, type, options],
    )

  test('an undefined key is refused with its name and changes nothing', async () => {
    const refused = upsert({ email: 'custom@example.com', customFields: { shoe_size: 4 } })
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'custom_fields',
      message: expect.stringContaining('shoe_size'),
    })
    await expect(s.contacts.lookupContact(s.us, { email: 'custom@example.com' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('values merge by key, null clears a value, and the newest definition applies', async () => {
    await define('plan', 'single_choice', ['free'])
    await define('plan', 'single_choice', ['free', 'paid'], 2)
    await define('born', 'date')
    await upsert({ email: 'custom@example.com', customFields: { plan: 'paid', born: '1990-02-28' } })
    const merged = await upsert({ email: 'custom@example.com', customFields: { born: null } })
    expect(merged.contact!.customFields).toEqual({ plan: 'paid' })
    await expect(upsert({ email: 'custom@example.com', customFields: { born: '2035-02-30' } })).rejects.toMatchObject({
      reason: 'custom_fields',
    })
    const cleared = await upsert({ email: 'custom@example.com', ...naming(['custom_fields']) })
    expect(cleared.contact!.customFields).toEqual({})
  })
})

test.each<[string, Partial<Request>]>([
  ['email', { email: 'nobody' }],
  ['source', { source: ' ' }],
  ['first_name', { firstName: 'x'.repeat(161) }],
  ['company', { company: 'x'.repeat(201) }],
  ['phone', { phone: 'x'.repeat(501) }],
  ['locale', { locale: 'a\u0000' }],
  ['country_code', { countryCode: 'XX' }],
  ['source_identifier', { sourceIdentifier: '' }],
  ['tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }],
  ['tags', { tags: ['x'.repeat(101)] }],
  ['text', { sourceMetadata: { a: '\u0000' } }],
])('an invalid %s is refused with the name of the field', async (reason, request) => {
  const refused = upsert({ email: 'fine@example.com', ...request })
  await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('a hundred parallel upserts of a new address create one contact', async () => {
  const other = await s.boot()
  const { ContactsConsent } = await import('@lettergate/contracts/contacts/v1/contacts')
  const replica = await s.stage.client(ContactsConsent, other.rpcPort)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? s.contacts : replica).upsertContact(s.us, {
        email: 'Crowd@example.com',
        source: 'test',
        tags: [`t${n}`],
      }),
    ),
  )
  expect(answers.filter((answer) => answer.created)).toHaveLength(1)
  expect(new Set(answers.map((answer) => answer.contact!.id)).size).toBe(1)
  const [found] = await s.stage.query<{ count: string }>(
    "select count(*) from contacts.contact_provenance p join contacts.contacts c on c.id = p.contact_id where c.normalized_email = 'crowd@example.com'",
  )
  expect(found!.count).toBe('100')
  await other.stop()
})

test('a refused upsert does not affect the others of its batch', async () => {
  await upsert({ email: 'holder@example.com', source: 'erp', sourceIdentifier: '1' })
  const requests = Array.from({ length: 20 }, (_, n) =>
    upsert({ email: `batch${n}@example.com`, source: 'erp', sourceIdentifier: n === 7 ? '1' : `b${n}` }),
  )
  const answers = await Promise.allSettled(requests)
  expect(answers.flatMap((answer, n) => (answer.status === 'rejected' ? [n] : []))).toEqual([7])
})

test('an upsert of tags fires no trigger and publishes nothing', async () => {
  const before = await s.stage.query('select id from contacts.outbox')
  await upsert({ email: 'quiet@example.com', tags: ['quiet'] })
  expect(await s.stage.query('select id from contacts.outbox')).toHaveLength(before.length)
  expect(await s.stage.query("select name from contacts.tags where name = 'quiet'")).toHaveLength(1)
})

test('a repeated upsert changes nothing', async () => {
  const optional = fc.option(
    fc.string({ maxLength: 20 }).filter((text) => !text.includes('\u0000')),
    { nil: undefined },
  )
  const request = fc.record({
    email: fc.integer({ min: 0, max: 5 }).map((n) => `idem${n}@example.com`),
    firstName: optional,
    company: optional,
    tags: fc.array(fc.constantFrom('a', 'b', 'c')),
    isLegacy: fc.option(fc.boolean(), { nil: undefined }),
    named: fc.subarray(['first_name', 'company', 'tags', 'is_legacy', 'last_name']),
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ named, ...fields }) => {
      const once = await upsert({ ...fields, ...naming(named) })
      const twice = await upsert({ ...fields, ...naming(named) })
      expect(twice.created).toBe(false)
      expect(twice.contact).toEqual(once.contact)
    }),
    { numRuns: 100 },
  )
})
