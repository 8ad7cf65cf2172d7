import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newSource } from '../source-stage.ts'
import { newImport } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let people = 0
const address = () => `imported${(people += 1)}@example.com`
const found = async (email: string) => (await s.contacts.lookupContact(s.us, { email })).contact!
const isUnknown = (email: string) =>
  expect(s.contacts.lookupContact(s.us, { email })).rejects.toMatchObject({ code: 'not_found' })
const subscribed = { status: 'subscribed' }

test('a suppressed person is blocked in each scope, and nothing of the row is written', async () => {
  const other = await s.audience()
  const scopes: [string, string | undefined, string][] = [
    ['audience', audience, 'blocked_by_suppression none suppressed_audience'],
    ['workspace', undefined, 'blocked_by_suppression none suppressed_workspace'],
    ['platform', undefined, 'blocked_by_suppression none suppressed_platform'],
    ['audience', other, 'consent_recorded existing'],
  ]
  for (const [scope, audienceId, expected] of scopes) {
    const email = address()
    const contactId = await s.contact(s.us, email)
    await s.contacts.suppressContact(s.us, { contactId, scope, reason: 'manual', audienceId })
    expect(await newImport(s, audience).apply([{ email, first_name: 'Back', tags: 'back', ...subscribed }])).toEqual([
      expected,
    ])
    const isBlocked = expected.startsWith('blocked')
    expect((await found(email)).firstName).toBe(isBlocked ? undefined : 'Back')
    expect((await s.reasons(contactId, audience)).length === 0).toBe(!isBlocked)
  }
})

test('an address that another tenant had suppressed on the platform becomes no contact, also after its erasure there', async () => {
  const emails = [address(), address()]
  for (const [index, email] of emails.entries()) {
    const contactId = await s.contact(s.them, email)
    await s.contacts.suppressContact(s.them, { contactId, scope: 'platform', reason: 'legal' })
    if (index === 1) await s.erase(contactId, s.them)
    expect(await newImport(s, audience).apply([{ email, ...subscribed }])).toEqual([
      'blocked_by_suppression none suppressed_platform',
    ])
    await isUnknown(email)
  }
})

test('an erased person is not made a contact again, in any spelling and with any status', async () => {
  const email = 'Erased.Person@Example.com'
  await s.erase(await s.contact(s.us, email))
  for (const status of ['subscribed', 'pending', '', 'suppressed', 'unsubscribed']) {
    const rows = [{ email: email.toUpperCase(), status }]
    expect(await newImport(s, audience).evaluate(rows)).toEqual(['blocked_by_suppression none erased'])
    expect(await newImport(s, audience).apply(rows)).toEqual(['blocked_by_suppression none erased'])
    await isUnknown(email)
  }
  // The hash stays, so the person is still refused when an upsert adds the address.
  const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'crm' })
  expect(await s.reasons(contact!.id, audience)).toContain('suppressed_workspace')
})

test('a person who was erased and came back has only the consents that they gave since', async () => {
  const email = address()
  const erased = await s.contact(s.us, email)
  await s.subscribe(erased, audience)
  await s.erase(erased)
  const other = await s.audience()
  const contactId = await s.contact(s.us, email)
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
  await s.subscribe(contactId, other)
  const row = { email, ...subscribed }
  expect(await newImport(s, audience).evaluate([row])).toEqual(['needs_review existing erased_before'])
  expect(await newImport(s, audience).apply([row])).toEqual(['needs_review existing erased_before'])
  expect(await newImport(s, audience, { consentPolicy: 'review_required' }).apply([row])).toEqual([
    'needs_review existing erased_before',
  ])
  expect(await newImport(s, other).apply([row])).toEqual(['already_subscribed existing details_not_added'])
  expect(await s.reasons(contactId, audience)).toEqual(['consent_missing', 'not_subscribed'])
  expect((await s.events(contactId)).filter(({ kind }) => kind === 'granted')).toHaveLength(1)
})

test('no file adds what it knows of an erased person to the contact that they are again', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'shoe', label: 'Shoe', fieldType: 'integer' })
  const results: Record<string, string> = {
    subscribed: 'already_subscribed existing details_not_added',
    '': 'needs_review existing no_status details_not_added',
    pending: 'needs_review existing consent_pending details_not_added',
    unsubscribed: 'withdrawn existing details_not_added',
    suppressed: 'suppressed existing details_not_added',
  }
  for (const [status, expected] of Object.entries(results)) {
    const email = address()
    await s.erase(await s.contact(s.us, email))
    const contactId = await s.contact(s.us, email)
    for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
    await s.subscribe(contactId, audience)
    const row = { email, status, first_name: 'Ada', company: 'Engines', tags: 'vip', 'custom.shoe': '38' }
    const file = newImport(s, audience, { staticTags: ['old file'] })
    expect(await file.evaluate([row])).toEqual([expected])
    expect(await file.apply([row])).toEqual([expected])
    const contact = await found(email)
    expect([contact.firstName, contact.company, contact.tags, contact.customFields]).toEqual([
      undefined,
      undefined,
      [],
      {},
    ])
  }
})

test('a person who was erased, came back without a suppression and was deleted is still erased', async () => {
  const email = address()
  const erased = await s.contact(s.us, email)
  await s.subscribe(erased, audience)
  await s.erase(erased)
  for (const { id } of await s.suppressions(erased))
    await s.contacts.resolveSuppression(s.us, { suppressionId: id, resolutionReason: 'asked' })
  for (let round = 0; round < 2; round += 1) {
    const contactId = await s.contact(s.us, email)
    expect(await newImport(s, audience).apply([{ email, ...subscribed }])).toEqual([
      'needs_review existing erased_before',
    ])
    await s.contacts.deleteContact(s.us, { contactId })
    const row = { email: email.toUpperCase(), ...subscribed }
    expect(await newImport(s, audience).evaluate([row])).toEqual(['blocked_by_suppression none erased'])
    expect(await newImport(s, audience).apply([row])).toEqual(['blocked_by_suppression none erased'])
    await isUnknown(email)
  }
})

test('a person who left is not subscribed again after the suppression was resolved, whatever captured_at says', async () => {
  const email = address()
  const contactId = await s.contact(s.us, email)
  await s.subscribe(contactId, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: audience })
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
  const row = { email, captured_at: new Date().toISOString(), ...subscribed }
  expect(await newImport(s, audience).apply([row])).toEqual(['needs_review existing consent_withdrawn'])
  expect(await s.reasons(contactId, audience)).toContain('consent_withdrawn')
})

test('a person who left the whole workspace is not subscribed to an audience of which they were no member', async () => {
  const email = address()
  const contactId = await s.contact(s.us, email)
  const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
  const nobody = s.stage.caller({ workspaceId: null, role: null })
  await s.contacts.usePreferenceLink(nobody, { token: preferenceUrl.split('/preferences/')[1]!, via: 'one_click' })
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
  expect(await newImport(s, audience).apply([{ email, ...subscribed }])).toEqual([
    'needs_review existing consent_withdrawn',
  ])
})

test('a legacy contact without documented consent stays unverified', async () => {
  const email = address()
  const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'crm', isLegacy: true })
  expect(await newImport(s, audience).apply([{ email, ...subscribed }])).toEqual([
    'needs_review existing legacy_consent_unverified',
  ])
  expect(await s.events(contact!.id)).toEqual([])
})

test('a claim of a source under review is not decided by a file', async () => {
  const source = await newSource(s)
  const email = address()
  const contactId = await s.contact(s.us, email)
  await s.subscribe(contactId, source.audienceId)
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: source.audienceId })
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
  expect((await source.ingest(source.event({ contact: { email } }))).status).toBe('review_required')
  expect(await newImport(s, source.audienceId).apply([{ email, ...subscribed }])).toEqual([
    'needs_review existing consent_withdrawn consent_under_review',
  ])
})

test('with review_required a contact whose membership an automation ended comes under review', async () => {
  const email = address()
  const id = await s.contact(s.us, email)
  await s.subscribe(id, audience)
  await s.stage.query('update contacts.memberships set is_active = false where contact_id = $1', [id])
  const reviewed = newImport(s, audience, { consentPolicy: 'review_required' })
  expect(await reviewed.apply([{ email, ...subscribed }])).toEqual(['needs_review existing review_required'])
  expect(await s.reasons(id, audience)).toEqual(['consent_under_review', 'not_subscribed'])
})

test('a person who was erased after their row was applied is not created again by a repeat', async () => {
  const one = newImport(s, audience)
  const rows = [{ email: address(), ...subscribed }]
  await one.apply(rows)
  await s.erase((await found(rows[0]!.email)).id)
  expect(await one.apply(rows)).toEqual(['consent_recorded new'])
  await isUnknown(rows[0]!.email)
})
