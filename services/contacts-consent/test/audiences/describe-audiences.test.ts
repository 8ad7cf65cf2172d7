import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('known audiences are answered in the requested order with the archived flag; unknown, foreign and malformed ids are left out', async () => {
  const first = await s.audience()
  const second = await s.audience()
  const foreign = await s.audience(s.them)
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [first])
  const { audiences } = await s.contacts.describeAudiences(s.us, {
    audienceIds: [second, 'x', foreign, unknownId, first, second],
  })
  expect(audiences.map(({ id, isArchived }) => [id, isArchived])).toEqual([
    [second, false],
    [first, true],
  ])
})
