import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { customFieldsCharsMax } from '../../src/contacts/write-contacts.ts'
import { objectCharsMax } from '../../src/values/free-object.ts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

/** The data of one caller never exceeds the size of an answer. */
let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const longest = { a: 'x'.repeat(objectCharsMax - 8) }
const tooLong = { a: 'x'.repeat(objectCharsMax) }

test('too long evidence and metadata are refused with the name of the field, and nothing is written', async () => {
  const contactId = await s.contact(s.us, 'ada@b.test')
  const subscription = { contactId, audienceId: audience, source: 'form', wordingVersion: '1', evidence: tooLong }
  const suppression = { contactId, scope: 'workspace', reason: 'manual', evidence: tooLong }
  for (const [field, call] of [
    ['evidence', s.contacts.subscribeContact(s.us, subscription)],
    ['evidence', s.contacts.suppressContact(s.us, suppression)],
    [
      'source_metadata',
      s.contacts.upsertContact(s.us, { email: 'new@b.test', source: 'form', sourceMetadata: tooLong }),
    ],
    [
      'legacy_consent_evidence',
      s.contacts.upsertContact(s.us, { email: 'new@b.test', source: 'form', legacyConsentEvidence: tooLong }),
    ],
  ] as const) {
    await expect(call).rejects.toMatchObject({ code: 'invalid_argument', reason: field })
  }
  expect((await s.contacts.listConsentEvents(s.us, { contactId })).consentEvents).toEqual([])
  expect((await s.contacts.listSuppressions(s.us, { contactId })).suppressions).toEqual([])
  await expect(s.contacts.lookupContact(s.us, { email: 'new@b.test' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a list with the longest evidence has shorter pages and leaves out no entry', async () => {
  const suppressed = await Promise.all(
    Array.from({ length: 130 }, async (_, n) => {
      const other = await s.contact(s.us, `long-${n}@b.test`)
      await s.contacts.suppressContact(s.us, {
        contactId: other,
        scope: 'workspace',
        reason: 'manual',
        evidence: longest,
      })
      return other
    }),
  )
  const events = new Set<string>()
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await s.contacts.listConsentEvents(s.us, { kind: 'suppressed', limit: 200, cursor })
    expect(page.consentEvents.length).toBeLessThan(130)
    for (const event of page.consentEvents) events.add(event.contactId)
    cursor = page.nextCursor
  }
  expect(events).toEqual(new Set(suppressed))

  const people = new Set<string>()
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await s.contacts.listSuppressions(s.us, { reason: 'manual', limit: 200, cursor })
    expect(page.suppressions.length).toBeLessThan(130)
    for (const suppression of page.suppressions) people.add(suppression.contactId)
    cursor = page.nextCursor
  }
  expect(people).toEqual(new Set(suppressed))
})

test('custom fields of one contact are refused above a size limit; clearing some allows new ones', async () => {
  const keys = Array.from({ length: 8 }, (_, n) => `essay_${n}`)
  for (const fieldKey of keys)
    await s.contacts.defineContactField(s.us, { fieldKey, label: fieldKey, fieldType: 'long_text' })
  const write = (customFields: Record<string, string | null>) =>
    s.contacts.upsertContact(s.us, {
      email: 'long@b.test',
      source: 'form',
      customFields,
      updateMask: { paths: ['custom_fields'] },
    })
  const essay = 'x'.repeat(9_000)
  for (const key of keys.slice(0, 7)) await write({ [key]: essay })
  await expect(write({ essay_7: essay })).rejects.toMatchObject({ code: 'invalid_argument', reason: 'custom_fields' })
  const { contact } = await s.contacts.lookupContact(s.us, { email: 'long@b.test' })
  expect(Object.keys(contact!.customFields!)).toEqual(keys.slice(0, 7))
  expect(JSON.stringify(contact!.customFields).length).toBeLessThanOrEqual(customFieldsCharsMax)
  await write({ essay_0: null, essay_7: essay })
})
