import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('all audiences of the workspace are listed, oldest first, archived ones flagged, and no others', async () => {
  const [first, second] = [await s.audience(), await s.audience()]
  await s.audience(s.them)
  await s.contacts.archiveAudience(s.us, { audienceId: first })
  const { audiences } = await s.contacts.listAudiences(s.us, {})
  expect(audiences).toMatchObject([
    { id: first, name: 'Letters', slug: expect.stringMatching(/^letters-/), isArchived: true },
    { id: second, isArchived: false },
  ])
})
