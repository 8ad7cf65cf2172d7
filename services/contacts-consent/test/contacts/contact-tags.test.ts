import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TagAddedSchema, TagRemovedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'
import { storedTags } from '../tags/stored-tags.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const added = async () => (await s.announced('tag_added')).map(({ payload }) => fromBinary(TagAddedSchema, payload))
const removed = async () =>
  (await s.announced('tag_removed')).map(({ payload }) => fromBinary(TagRemovedSchema, payload))

test('a tag is applied by name or id, registered if it is new, published once, and counted', async () => {
  const contactId = await s.contact()
  const first = await s.contacts.applyTag(s.us, { contactId, tag: ' vip ' })
  expect(first).toMatchObject({ tag: { name: 'vip', contactCount: 1 }, contact: { id: contactId, tags: ['vip'] } })
  expect(await added()).toMatchObject([{ contactId, tag: 'vip', tagId: first.tag!.id }])

  const again = await s.contacts.applyTag(s.us, { contactId, tag: 'vip' })
  expect(again).toMatchObject({ tag: { id: first.tag!.id, contactCount: 1 }, contact: { tags: ['vip'] } })
  const { tag } = await s.contacts.registerTag(s.us, { name: 'press' })
  expect(await s.contacts.applyTag(s.us, { contactId, tag: tag!.id })).toMatchObject({
    tag: { id: tag!.id, name: 'press' },
    contact: { tags: ['vip', 'press'] },
  })
  expect((await added()).map((event) => event.tag)).toEqual(['vip', 'press'])
})

test('a tag is removed by name or id and published once; a contact without the tag does not change', async () => {
  const contactId = await s.contact()
  await s.contacts.applyTag(s.us, { contactId, tag: 'gone' })
  const { tag } = await s.contacts.applyTag(s.us, { contactId, tag: 'Gone' })
  expect(await s.contacts.removeTag(s.us, { contactId, tag: 'gone' })).toMatchObject({ deleted: true })
  expect(await s.contacts.removeTag(s.us, { contactId, tag: 'gone' })).toMatchObject({ deleted: true })
  const gone = (await s.contacts.listTags(s.us, {})).tags.find(({ name }) => name === 'gone')!.id
  expect((await removed()).map((event) => [event.contactId, event.tag, event.tagId])).toEqual([
    [contactId, 'gone', gone],
  ])
  expect((await s.contacts.lookupContact(s.us, { email: await emailOf(contactId) })).contact!.tags).toEqual(['Gone'])
  await s.contacts.removeTag(s.us, { contactId, tag: tag!.id })
  expect(await removed()).toHaveLength(2)
})

test('the id of a merged tag refers to the remaining tag, also after several merges', async () => {
  const contactId = await s.contact()
  const names = ['first', 'second', 'third']
  const [first, second, third] = await Promise.all(names.map((name) => s.contacts.registerTag(s.us, { name })))
  await s.contacts.mergeTag(s.us, { tagId: first!.tag!.id, into: 'second' })
  await s.contacts.mergeTag(s.us, { tagId: second!.tag!.id, into: 'third' })
  await s.contacts.renameTag(s.us, { tagId: third!.tag!.id, name: 'last' })
  const before = (await s.contacts.listTags(s.us, {})).tags.length
  for (const { tag } of [first!, second!]) {
    expect(await s.contacts.applyTag(s.us, { contactId, tag: tag!.id })).toMatchObject({
      tag: { id: third!.tag!.id, name: 'last' },
      contact: { tags: ['last'] },
    })
  }
  expect((await s.contacts.listTags(s.us, {})).tags).toHaveLength(before)
  await s.contacts.removeTag(s.us, { contactId, tag: first!.tag!.id })
  expect((await s.contacts.lookupContact(s.us, { email: await emailOf(contactId) })).contact!.tags).toEqual([])
  const { tag: other } = await s.contacts.registerTag(s.us, { name: 'other' })
  const merged = await s.contacts.mergeTag(s.us, { tagId: other!.id, into: first!.tag!.id })
  expect(merged.tag).toMatchObject({ id: third!.tag!.id })
})

test('an unknown tag id is refused with the name of the field and creates no tag', async () => {
  const contactId = await s.contact()
  const { tag } = await s.contacts.registerTag(s.them, { name: 'abroad' })
  const { tag: into } = await s.contacts.registerTag(s.them, { name: 'further abroad' })
  await s.contacts.mergeTag(s.them, { tagId: tag!.id, into: into!.id })
  for (const id of [unknownId, tag!.id, into!.id]) {
    await expect(s.contacts.applyTag(s.us, { contactId, tag: id })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'tag',
    })
    await expect(s.contacts.removeTag(s.us, { contactId, tag: id })).rejects.toMatchObject({ code: 'not_found' })
  }
  const names = (await s.contacts.listTags(s.us, {})).tags.map((one) => one.name)
  for (const id of [unknownId, tag!.id, into!.id]) expect(names).not.toContain(id)
})

const emailOf = async (id: string) =>
  (await s.stage.query<{ email: string }>('select email from contacts.contacts where id = $1', [id]))[0]!.email

test('the fifty-first tag is refused, registers nothing and publishes nothing; a tag that is already applied is accepted', async () => {
  const tags = Array.from({ length: 50 }, (_, n) => `t${n}`)
  const { contact } = await s.contacts.upsertContact(s.us, { email: 'full@example.com', source: 'test', tags })
  const before = (await added()).length
  const contactId = contact!.id
  await expect(s.contacts.applyTag(s.us, { contactId, tag: 'one more' })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'tag',
  })
  await s.contacts.applyTag(s.us, { contactId, tag: 't0' })
  expect(await added()).toHaveLength(before)
  expect((await s.contacts.listTags(s.us, {})).tags.map((tag) => tag.name)).not.toContain('one more')
})

/** Retries after Fault `unavailable`, as the message asks. */
async function insisting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== 'unavailable') throw error
    return insisting(work)
  }
}

test('concurrent tags of one contact are all applied, up to fifty', async () => {
  const contactId = await s.contact()
  const answers = await Promise.allSettled(
    Array.from({ length: 60 }, (_, n) => insisting(() => s.contacts.applyTag(s.us, { contactId, tag: `race-${n}` }))),
  )
  expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(50)
  expect(await storedTags(s.stage, contactId)).toHaveLength(50)
})

test('another tenant’s contact and tag answer like unknown ones', async () => {
  const theirs = await s.contact(s.them)
  const { tag } = await s.contacts.applyTag(s.them, { contactId: theirs, tag: 'theirs' })
  const contactId = await s.contact()
  for (const id of [theirs, unknownId, 'x']) {
    const missing = { code: 'not_found', reason: 'contact' }
    await expect(s.contacts.applyTag(s.us, { contactId: id, tag: 'a' })).rejects.toMatchObject(missing)
    await expect(s.contacts.removeTag(s.us, { contactId: id, tag: 'a' })).rejects.toMatchObject(missing)
  }
  for (const name of ['theirs', tag!.id, 'unknown']) {
    await expect(s.contacts.removeTag(s.us, { contactId, tag: name })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'tag',
    })
  }
})

test.each(['', '  ', 'x'.repeat(101), 'a\u0000'])(
  'an invalid tag (%j) is refused with the name of the field',
  async (tag) => {
    await expect(s.contacts.applyTag(s.us, { contactId: unknownId, tag })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'tag',
    })
  },
)

test('applying a tag during its merge or rename causes no internal error', async () => {
  for (let round = 0; round < 20; round += 1) {
    const [from, into] = [`from-${round}`, `into-${round}`]
    const people = await Promise.all(Array.from({ length: 4 }, () => s.contact()))
    const [gone] = await Promise.all([from, into].map((name) => s.contacts.registerTag(s.us, { name })))
    const ends = round % 2 === 0 ? 'merged' : 'renamed'
    const answers = await Promise.all(
      [
        ...people.slice(0, 2).map((contactId) => s.contacts.applyTag(s.us, { contactId, tag: from })),
        ends === 'merged'
          ? s.contacts.mergeTag(s.us, { tagId: gone!.tag!.id, into })
          : s.contacts.renameTag(s.us, { tagId: gone!.tag!.id, name: `then-${round}` }),
        ...people.slice(2).map((contactId) => s.contacts.applyTag(s.us, { contactId, tag: gone!.tag!.id })),
      ].map((answer) => answer.catch((error: unknown) => error)),
    )
    for (const answer of answers) if (answer instanceof Error) expect(answer).toMatchObject({ code: 'conflict' })
  }
})
