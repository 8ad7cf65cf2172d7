import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ConsentWithdrawnSchema, SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { approval, contentOf, newImport, rowsOf } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let people = 0
const address = () => `refused${(people += 1)}@example.com`
const idOf = async (email: string) => (await s.contacts.lookupContact(s.us, { email })).contact!.id
const unsubscribed = { status: 'unsubscribed' }
const suppressed = { status: 'suppressed' }

test('a member who left elsewhere is withdrawn from the audience, on the record and announced', async () => {
  const email = address()
  const contactId = await s.contact(s.us, email)
  await s.subscribe(contactId, audience)
  const own = newImport(s, audience)
  const row = { email, captured_at: '2020-01-01T00:00:00Z', first_name: 'Ada', ...unsubscribed }
  expect(await own.suppressOnly([row])).toEqual(['withdrawn existing'])
  expect(await s.reasons(contactId, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  expect(await s.suppressions(contactId)).toMatchObject([
    { scope: 'audience', reason: 'import', audience_id: audience },
  ])
  expect((await s.events(contactId)).at(-1)).toMatchObject({
    kind: 'withdrawn',
    reason: 'import',
    source: 'csv_import',
    evidence: { import_id: own.plan.importId, row_number: 1, captured_at: '2020-01-01T00:00:00Z' },
  })
  const withdrawn = (await s.announced('consent_withdrawn')).map(({ payload }) =>
    fromBinary(ConsentWithdrawnSchema, payload),
  )
  expect(withdrawn.filter((one) => one.contactId === contactId)).toMatchObject([
    { scope: 'audience', audienceId: audience },
  ])
  const added = (await s.announced('suppression_added')).map(({ payload }) =>
    fromBinary(SuppressionAddedSchema, payload),
  )
  expect(added.filter((one) => one.contactId === contactId)).toMatchObject([{ scope: 'audience', reason: 'import' }])
})

test('an unknown address becomes a refused contact, so that no later file can mail it', async () => {
  const [left, blocked] = [address(), address()]
  const rows = [
    { email: left, ...unsubscribed },
    { email: blocked, ...suppressed },
  ]
  expect(await newImport(s, audience).suppressOnly(rows)).toEqual(['withdrawn new', 'suppressed new'])
  expect(await s.reasons(await idOf(left), audience)).toEqual([
    'suppressed_audience',
    'consent_withdrawn',
    'not_subscribed',
  ])
  expect(await s.reasons(await idOf(blocked), audience)).toContain('suppressed_workspace')
  const back = rows.map(({ email }) => ({ email, status: 'subscribed' }))
  expect(await newImport(s, audience).apply(back)).toEqual([
    'blocked_by_suppression none suppressed_audience',
    'blocked_by_suppression none suppressed_workspace',
  ])
  // One who left this audience may still consent to another one.
  expect(await newImport(s, await s.audience()).apply(back.slice(0, 1))).toEqual(['consent_recorded existing'])
})

test('values that cannot be stored do not prevent a refusal, and are left out', async () => {
  const email = address()
  const row = { email, country_code: 'Sweden', first_name: 'Ada', tags: 'x'.repeat(101), ...suppressed }
  expect(await newImport(s, audience).suppressOnly([row])).toEqual([
    'suppressed new country_code_invalid tags_too_long',
  ])
  const { contact } = await s.contacts.lookupContact(s.us, { email })
  expect(contact).toMatchObject({ firstName: 'Ada', tags: [] })
  expect(contact!.countryCode).toBeUndefined()
  expect(await newImport(s, audience).suppressOnly([{ email: 'no address', ...suppressed }])).toEqual([
    'refused none email_invalid',
  ])
})

test('a refusal that is in force already is not recorded again', async () => {
  const [left, blocked, elsewhere] = [address(), address(), address()]
  const contactId = await s.contact(s.us, left)
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: audience })
  const bounced = await s.contact(s.us, elsewhere)
  await s.contacts.suppressContact(s.us, { contactId: bounced, scope: 'workspace', reason: 'hard_bounce' })
  const rows = [
    { email: left, ...unsubscribed },
    { email: blocked, ...suppressed },
    { email: elsewhere, ...suppressed },
  ]
  expect(await newImport(s, audience).suppressOnly(rows)).toEqual([
    'already_refused existing',
    'suppressed new',
    'suppressed existing',
  ])
  expect(await newImport(s, audience).suppressOnly(rows)).toEqual(rows.map(() => 'already_refused existing'))
  expect(await s.events(await idOf(blocked))).toHaveLength(1)
  expect(await s.suppressions(bounced)).toHaveLength(2)
})

test('a person who is suppressed after the suppression of an import was resolved is suppressed again', async () => {
  const email = address()
  await newImport(s, audience).suppressOnly([{ email, ...suppressed }])
  const contactId = await idOf(email)
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
  expect(await newImport(s, audience).suppressOnly([{ email, ...suppressed }])).toEqual(['suppressed existing'])
  expect(await s.reasons(contactId, audience)).toContain('suppressed_workspace')
})

test('a platform suppression of an erased address holds for the contact that a refusal makes', async () => {
  const email = address()
  const theirs = await s.contact(s.them, email)
  await s.contacts.suppressContact(s.them, { contactId: theirs, scope: 'platform', reason: 'complaint' })
  await s.erase(theirs, s.them)
  expect(await newImport(s, audience).suppressOnly([{ email, ...unsubscribed }])).toEqual(['withdrawn new'])
  expect(await s.reasons(await idOf(email), audience)).toContain('suppressed_platform')
})

test('a batch of refusals that comes again writes nothing', async () => {
  const own = newImport(s, audience)
  const rows = Array.from({ length: 20 }, (_, n) => ({ email: address(), ...(n % 2 ? unsubscribed : suppressed) }))
  const first = await own.suppressOnly(rows)
  const before = await contentOf(s)
  expect(await own.suppressOnly(rows)).toEqual(first)
  expect(await contentOf(s)).toEqual(before)
})

test('other rows are refused in this pass', async () => {
  const { plan } = newImport(s, audience)
  const rows = rowsOf([{ email: address(), status: 'subscribed' }])
  await expect(s.contacts.applyImportSuppressions(s.us, { plan, approval, rows })).rejects.toMatchObject({
    reason: 'rows',
  })
})
