import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
  await s.contacts.defineContactField(s.us, { fieldKey: 'size', label: 'Size', fieldType: 'integer' })
})
afterAll(() => s.close())

const describe = async (contactIds: string[], fields: string[] = [], caller = s.us) =>
  (await s.contacts.describeAutomationContacts(caller, { contactIds, fields })).contacts

test('a contact is described with its fields, tags, score and active memberships, newest first and archived audiences last', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'Ada@Example.com',
    source: 'test',
    firstName: 'Ada',
    timezone: 'Europe/Stockholm',
    customFields: { size: 3 },
    tags: ['vip', 'press'],
  })
  const id = contact!.id
  const [archived, older, left, newer] = [
    await s.audience(),
    await s.audience(),
    await s.audience(),
    await s.audience(),
  ]
  for (const audience of [older, left, newer, archived]) await s.subscribe(id, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId: id, audienceId: left })
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  const described = await describe([id])
  expect(described).toMatchObject([
    {
      contactId: id,
      normalizedEmail: 'ada@example.com',
      fields: { email: 'Ada@Example.com', first_name: 'Ada', timezone: 'Europe/Stockholm', 'custom.size': 3 },
      tags: [{ name: 'vip' }, { name: 'press' }],
      activeAudienceIds: [newer, older, archived],
      score: 0,
    },
  ])
  const { tags } = await s.contacts.listTags(s.us, {})
  expect(described[0]!.tags.map((tag) => tag.id)).toEqual(
    ['vip', 'press'].map((name) => tags.find((tag) => tag.name === name)!.id),
  )
  expect(described[0]!.syntheticContextId).toBeUndefined()
  expect((await describe([id], ['custom.size', 'company']))[0]!.fields).toEqual({ 'custom.size': 3 })
})

test('contacts are answered once each, in the order of the request; foreign, unknown and erased ones are absent', async () => {
  const [first, second, erased] = [await s.contact(), await s.contact(), await s.contact()]
  const foreign = await s.contact(s.them)
  await s.erase(erased)
  const ids = [second, foreign, erased, unknownId, first, second.toUpperCase()]
  expect((await describe(ids)).map(({ contactId }) => contactId)).toEqual([second, first])
  expect(await describe([])).toEqual([])
  expect(await describe([first], [], s.them)).toEqual([])
})

test('the rehearsal of a synthetic contact is that of its newest upsert that names one', async () => {
  const upsert = async (email: string, sourceMetadata?: { synthetic_context_id: string | number }) => {
    const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'rehearsal', sourceMetadata })
    return (await describe([contact!.id]))[0]!.syntheticContextId
  }
  expect(await upsert('a@rehearsal.invalid')).toBeUndefined()
  expect(await upsert('a@rehearsal.invalid', { synthetic_context_id: 'run-1' })).toBe('run-1')
  expect(await upsert('a@rehearsal.invalid', { synthetic_context_id: 'run-2' })).toBe('run-2')
  expect(await upsert('a@rehearsal.invalid', { synthetic_context_id: 3 })).toBe('run-2')
  expect(await upsert('a@rehearsal.invalid')).toBe('run-2')
  expect(await upsert('a@example.com', { synthetic_context_id: 'run-1' })).toBeUndefined()
})

test('a malformed id and too many ids are refused with the name of the field', async () => {
  const refused = { code: 'invalid_argument', reason: 'contact_ids' }
  await expect(describe(['x'])).rejects.toMatchObject(refused)
  const many = Array.from({ length: 201 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`)
  await expect(describe(many)).rejects.toMatchObject(refused)
  expect(await describe(many.slice(1))).toEqual([])
})
