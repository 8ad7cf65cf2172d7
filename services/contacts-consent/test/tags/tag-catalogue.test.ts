import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'
import { storedTags } from './stored-tags.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const tagged = async (tags: string[], caller = s.us) =>
  (await s.contacts.upsertContact(caller, { email: `t${newId()}@example.com`, source: 'test', tags })).contact!.id
const tagsOf = (id: string) => storedTags(s.stage, id)
const listed = async (name: string, caller = s.us) =>
  (await s.contacts.listTags(caller, {})).tags.find((tag) => tag.name === name)
const idOf = async (name: string, caller = s.us) => (await listed(name, caller))!.id
const audited = async (action: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((record) => record.action === action)
const triggers = async () => (await s.announced('tag_added')).length + (await s.announced('tag_removed')).length

describe('the catalogue', () => {
  test('lists every tag by name with the number of its contacts, for every kind of write', async () => {
    const first = await tagged(['b-vip', 'A-news'])
    await tagged(['b-vip'])
    await s.contacts.upsertContact(s.us, {
      email: `again${newId()}@example.com`,
      source: 'test',
      tags: ['b-vip', 'b-vip ', 'c'],
    })
    const { tags } = await s.contacts.listTags(s.us, {})
    expect(tags.map(({ name, contactCount }) => [name, contactCount])).toEqual([
      ['A-news', 1],
      ['b-vip', 3],
      ['c', 1],
    ])
    await s.stage.query(
      `update contacts.contact_tags set tag_id = (select id from contacts.tags where workspace_id = $2 and name = 'c')
        where contact_id = $1 and tag_id = (select id from contacts.tags where workspace_id = $2 and name = 'b-vip')`,
      [first, s.ours],
    )
    expect(await listed('b-vip')).toMatchObject({ contactCount: 2 })
    expect(await listed('c')).toMatchObject({ contactCount: 2 })
    await s.stage.query('delete from contacts.contacts where id = $1', [first])
    expect(await listed('c')).toMatchObject({ contactCount: 1 })
    expect((await s.contacts.listTags(s.them, {})).tags).toEqual([])
  })

  test('counts stay correct with concurrent writes of the same tags', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => tagged(['busy', `busy-${n % 3}`])))
    const [counted] = await s.stage.query<{ count: string }>(
      "select count(*) from contacts.contact_tags c join contacts.tags t on t.id = c.tag_id where t.workspace_id = $1 and t.name = 'busy'",
      [s.ours],
    )
    expect(await listed('busy')).toMatchObject({ contactCount: Number(counted!.count) })
    expect(Number(counted!.count)).toBe(60)
  })

  test('accepts a name once, with letter case, and another workspace can use it', async () => {
    const { tag } = await s.contacts.registerTag(s.us, { name: ' Once ' })
    expect(tag).toMatchObject({ name: 'Once', contactCount: 0 })
    await expect(s.contacts.registerTag(s.us, { name: 'Once' })).rejects.toMatchObject({
      code: 'conflict',
      reason: 'name',
    })
    await s.contacts.registerTag(s.us, { name: 'once' })
    await s.contacts.registerTag(s.them, { name: 'Once' })
    expect((await audited('tag_registered'))[0]!.subjectId).toBe(tag!.id)
  })

  test.each(['', ' ', 'x'.repeat(101), 'a\u0000'])(
    'an invalid name (%j) is refused with the name of the field',
    async (name) => {
      const refused = { code: 'invalid_argument', reason: 'name' }
      await expect(s.contacts.registerTag(s.us, { name })).rejects.toMatchObject(refused)
      await expect(s.contacts.renameTag(s.us, { tagId: unknownId, name })).rejects.toMatchObject(refused)
    },
  )
})

describe('a rename', () => {
  test('gives every contact the new name at the same position, is audited with their number, and fires no trigger', async () => {
    const people = [await tagged(['x', 'old', 'y']), await tagged(['old'])]
    const foreign = await tagged(['old'], s.them)
    const before = await triggers()
    const tagId = await idOf('old')
    const renamed = await s.contacts.renameTag(s.us, { tagId, name: 'new' })
    expect(renamed).toMatchObject({
      tag: { id: tagId, name: 'new', contactCount: 2 },
      contactsChanged: 2,
      isComplete: true,
    })
    expect(await tagsOf(people[0]!)).toEqual(['x', 'new', 'y'])
    expect(await tagsOf(people[1]!)).toEqual(['new'])
    expect(await tagsOf(foreign)).toEqual(['old'])
    expect(await listed('old')).toBeUndefined()
    const [record] = await audited('tag_renamed')
    expect(record).toMatchObject({ subjectId: tagId, detail: { from: 'old', to: 'new', contacts_changed: 2 } })
    expect(await triggers()).toBe(before)

    expect(await s.contacts.renameTag(s.us, { tagId, name: 'new' })).toMatchObject({
      contactsChanged: 0,
      isComplete: true,
    })
    expect(await audited('tag_renamed')).toHaveLength(1)
  })

  test('to the name of another tag is refused with the advice to merge, and changes nothing', async () => {
    const contact = await tagged(['left', 'right'])
    const refused = s.contacts.renameTag(s.us, { tagId: await idOf('left'), name: 'right' })
    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('merge') })
    expect(await tagsOf(contact)).toEqual(['left', 'right'])
    await s.contacts.renameTag(s.us, { tagId: await idOf('left'), name: 'Right' })
    expect(await tagsOf(contact)).toEqual(['Right', 'right'])
  })

  test('of an unknown tag or another tenant’s tag answers not_found', async () => {
    await s.contacts.registerTag(s.them, { name: 'theirs' })
    for (const tagId of [unknownId, 'x', await idOf('theirs', s.them)]) {
      const missing = { code: 'not_found', reason: 'tag' }
      await expect(s.contacts.renameTag(s.us, { tagId, name: 'mine' })).rejects.toMatchObject(missing)
      await expect(s.contacts.mergeTag(s.us, { tagId, into: 'busy' })).rejects.toMatchObject(missing)
    }
    expect(await listed('theirs', s.them)).toBeDefined()
  })

  test('keeps the tag of every contact that is written concurrently, and the catalogue has its name', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => tagged(['storm'])))
    const tagId = await idOf('storm')
    const write = async (n: number) => void people.push(await tagged(['storm', `n${n}`]))
    await Promise.all([
      s.contacts.renameTag(s.us, { tagId, name: 'calm' }),
      ...Array.from({ length: 60 }, (_, n) => write(n)),
    ])
    const carried = (await Promise.all(people.map(tagsOf))).map((tags) => tags[0]!)
    expect(carried).toHaveLength(100)
    const counts = Object.fromEntries(
      (await s.contacts.listTags(s.us, {})).tags.map((tag) => [tag.name, tag.contactCount]),
    )
    const counted = Object.groupBy(carried, (name) => name)
    expect(counted['calm']!.length).toBeGreaterThanOrEqual(40)
    for (const [name, those] of Object.entries(counted))
      expect({ name, count: counts[name] }).toEqual({ name, count: those!.length })
    expect(Object.keys(counted).filter((name) => name !== 'calm' && name !== 'storm')).toEqual([])
  })
})

describe('a merge', () => {
  test('leaves the target tag, given by name or by id, and a contact with both tags keeps one', async () => {
    const both = await tagged(['m1', 'z', 'm2'])
    const one = await tagged(['m1'])
    const m1 = await idOf('m1')
    const m2 = await idOf('m2')
    expect(await s.contacts.mergeTag(s.us, { tagId: m1, into: 'm2' })).toMatchObject({
      tag: { id: m2, name: 'm2', contactCount: 2 },
      contactsChanged: 2,
      isComplete: true,
    })
    expect(await tagsOf(both)).toEqual(['z', 'm2'])
    expect(await tagsOf(one)).toEqual(['m2'])
    expect(await audited('tag_merged')).toMatchObject([
      { subjectId: m1, detail: { from: 'm1', to: 'm2', contacts_changed: 2 } },
    ])
    await expect(s.contacts.mergeTag(s.us, { tagId: m1, into: 'm2' })).rejects.toMatchObject({ code: 'not_found' })

    const { tag } = await s.contacts.registerTag(s.us, { name: 'm3' })
    await s.contacts.mergeTag(s.us, { tagId: m2, into: tag!.id })
    expect(await tagsOf(both)).toEqual(['z', 'm3'])
  })

  test('into itself or into an unknown tag is refused with the field into', async () => {
    const { tag } = await s.contacts.registerTag(s.us, { name: 'lonely' })
    await s.contacts.registerTag(s.them, { name: 'foreign' })
    const foreign = await idOf('foreign', s.them)
    for (const into of ['lonely', tag!.id, 'foreign', foreign, unknownId, 'no such', ' ']) {
      await expect(s.contacts.mergeTag(s.us, { tagId: tag!.id, into })).rejects.toMatchObject({
        code: 'invalid_argument',
        reason: 'into',
      })
    }
    expect(await listed('lonely')).toBeDefined()
  })
})

describe('a merge while others write', () => {
  test('leaves each contact with one of the tags exactly once, and the catalogue has it', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => tagged(['from', 'other', 'into'])))
    const [from, into] = [await idOf('from'), await idOf('into')]
    const write = async (n: number) => void people.push(await tagged(n % 2 === 0 ? ['from'] : ['into', `m${n}`]))
    const change = async (contactId: string, n: number) =>
      n % 2 === 0
        ? s.contacts.removeTag(s.us, { contactId, tag: into })
        : s.contacts.applyTag(s.us, { contactId, tag: from })
    const changed = people.slice(0, 20)
    await Promise.all([
      ...changed.map(change),
      s.contacts.mergeTag(s.us, { tagId: from, into: 'into' }),
      ...Array.from({ length: 40 }, (_, n) => write(n)),
    ])
    const lists = await Promise.all(people.map(tagsOf))
    for (const tags of lists) expect(tags).toEqual([...new Set(tags)])
    for (const tags of lists.slice(20, 40)) expect(tags).toEqual(['other', 'into'])
    for (const name of ['into', 'from']) {
      const carriers = lists.filter((tags) => tags.includes(name)).length
      expect({ name, count: (await listed(name))?.contactCount ?? 0 }).toEqual({ name, count: carriers })
    }
    expect((await listed('into'))!.id).toBe(into)
    expect((await listed('from'))?.id).not.toBe(from)
  })
})

describe('the order of tags', () => {
  test('is the order of the last upsert, followed by applied tags, also after removals', async () => {
    const email = `order${newId()}@example.com`
    const upsert = (tags: string[]) => s.contacts.upsertContact(s.us, { email, source: 'test', tags })
    const { contact } = await upsert(['o1', 'o2', 'o3'])
    const contactId = contact!.id
    expect((await upsert(['o3', 'o4', 'o1'])).contact!.tags).toEqual(['o3', 'o4', 'o1'])
    await s.contacts.removeTag(s.us, { contactId, tag: 'o4' })
    await s.contacts.applyTag(s.us, { contactId, tag: 'o2' })
    expect(await tagsOf(contactId)).toEqual(['o3', 'o1', 'o2'])
    const unnamed = await s.contacts.upsertContact(s.us, { email, source: 'test', firstName: 'O' })
    expect(unnamed.contact!.tags).toEqual(['o3', 'o1', 'o2'])
    const cleared = { email, source: 'test', updateMask: { paths: ['tags'] } }
    expect((await s.contacts.upsertContact(s.us, cleared)).contact!.tags).toEqual([])
    expect(await listed('o3')).toMatchObject({ contactCount: 0 })
  })
})
