import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const fine = { name: 'News', slug: 'news', purpose: 'weekly', minimumIntervalSeconds: 2_147_483_647 }

test('an audience is created, audited and described', async () => {
  const { audience } = await s.contacts.createAudience(s.us, fine)
  expect(audience).toMatchObject({ slug: 'news' })
  const described = await s.contacts.describeAudiences(s.us, { audienceIds: [audience!.id] })
  expect(described.audiences).toMatchObject([{ id: audience!.id, name: 'News', slug: 'news', isArchived: false }])
  expect(await s.announced('audit_recorded')).toHaveLength(1)
})

test('a slug is unique in a workspace, including archived audiences; another workspace can use it', async () => {
  await s.contacts.createAudience(s.us, { ...fine, slug: 'old' })
  await s.stage.query("update contacts.audiences set archived_at = now() where slug = 'old'")
  await expect(s.contacts.createAudience(s.us, { ...fine, slug: 'old' })).rejects.toMatchObject({ code: 'conflict' })
  await s.contacts.createAudience(s.them, { ...fine, slug: 'old' })
})

test('if two concurrent requests use one slug, exactly one gets it', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 10 }, () => s.contacts.createAudience(s.us, { ...fine, slug: 'race' })),
  )
  expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1)
})

test.each([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(161) }],
  ['slug', { slug: 'Bad_Slug' }],
  ['slug', { slug: 'a--b' }],
  ['purpose', { purpose: ' ' }],
  ['minimum_interval_seconds', { minimumIntervalSeconds: -1 }],
])('an invalid %s is refused with the name of the field', async (reason, part) => {
  await expect(s.contacts.createAudience(s.us, { ...fine, slug: 'other', ...part })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason,
  })
})
