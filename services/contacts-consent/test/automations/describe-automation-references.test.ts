import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const describeReferences = (named: { audienceIds?: string[]; tags?: string[]; fieldKeys?: string[] }, caller = s.us) =>
  s.contacts.describeAutomationReferences(caller, named)

test('audiences with their members, tags with their contacts, and fields with their types; what is missing is absent', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'birthday', label: 'Birthday', fieldType: 'date' })
  const [live, archived] = [await s.audience(), await s.audience()]
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'ada@a.test',
    source: 'test',
    tags: ['vip'],
    updateMask: { paths: ['tags'] },
  })
  await s.contacts.subscribeContact(s.us, {
    audienceId: live,
    contactId: contact!.id,
    source: 'test',
    wordingVersion: '1',
  })
  const { tag } = await s.contacts.registerTag(s.us, { name: 'unused' })

  const found = await describeReferences({
    audienceIds: [live, archived, unknownId, 'no id'],
    tags: ['vip', tag!.id, 'nobody', unknownId],
    fieldKeys: ['birthday', 'shoe_size'],
  })
  expect(new Map(found.audiences.map(({ id, isArchived, memberCount }) => [id, [isArchived, memberCount]]))).toEqual(
    new Map([
      [live, [false, 1]],
      [archived, [true, 0]],
    ]),
  )
  expect(found.tags.map(({ named, name, contactCount }) => [named, name, contactCount])).toEqual([
    ['vip', 'vip', 1],
    [tag!.id, 'unused', 0],
  ])
  expect(found.fields).toMatchObject([{ fieldKey: 'birthday', fieldType: 'date' }])
})

test('the objects of another tenant are absent', async () => {
  const ours = await s.audience()
  await s.contacts.registerTag(s.us, { name: 'ours' })
  await s.contacts.defineContactField(s.us, { fieldKey: 'ours_only', label: 'Ours', fieldType: 'text' })
  const named = { audienceIds: [ours], tags: ['ours'], fieldKeys: ['ours_only'] }
  expect(await describeReferences(named, s.them)).toMatchObject({ audiences: [], tags: [], fields: [] })
  expect((await describeReferences(named)).audiences).toHaveLength(1)
})
