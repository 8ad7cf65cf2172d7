import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('an audience is shown with the number of its active members', async () => {
  const audienceId = await s.audience()
  const show = async () => (await s.contacts.getAudience(s.us, { audienceId })).audience
  expect(await show()).toMatchObject({
    id: audienceId,
    name: 'Monthly',
    purpose: 'monthly email',
    isArchived: false,
    activeMemberCount: 0,
  })
  const [one, other] = [await s.contact(), await s.contact()]
  await s.subscribe(one, audienceId)
  await s.subscribe(one, audienceId)
  await s.subscribe(other, audienceId)
  await s.subscribe(other, await s.audience())
  expect(await show()).toMatchObject({ activeMemberCount: 2 })
  await s.contacts.suppressContact(s.us, { contactId: other, scope: 'workspace', reason: 'manual' })
  expect(await show()).toMatchObject({ activeMemberCount: 2 })
  await s.contacts.unsubscribeContact(s.us, { contactId: one, audienceId })
  await s.contacts.unsubscribeContact(s.us, { contactId: one, audienceId })
  await s.contacts.unsubscribeContact(s.us, { contactId: await s.contact(), audienceId })
  expect(await show()).toMatchObject({ activeMemberCount: 1 })
})

test("another tenant's audience answers not_found", async () => {
  for (const audienceId of [await s.audience(s.them), unknownId, 'x']) {
    await expect(s.contacts.getAudience(s.us, { audienceId })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'audience',
    })
  }
})
