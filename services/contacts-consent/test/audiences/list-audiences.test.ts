import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('the list has exactly the audiences of the workspace, oldest first, with the archived flag', async () => {
  const [first, second] = [await s.audience(), await s.audience()]
  await s.audience(s.them)
  await s.contacts.archiveAudience(s.us, { audienceId: first })
  const { audiences } = await s.contacts.listAudiences(s.us, {})
  expect(audiences).toMatchObject([
    { id: first, name: 'Monthly', slug: expect.stringMatching(/^monthly-/), isArchived: true },
    { id: second, isArchived: false },
  ])
})
