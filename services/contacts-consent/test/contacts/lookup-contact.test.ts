import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('a contact is found by any spelling of its address', async () => {
  const id = await s.contact(s.us, 'Find.Me@Bücher.example')
  const { contact } = await s.contacts.lookupContact(s.us, { email: ' find.me@XN--BCHER-KVA.example ' })
  expect(contact).toMatchObject({ id, email: 'Find.Me@Bücher.example' })
})

test("another tenant's contact answers like an unknown one", async () => {
  await s.contact(s.them, 'theirs@example.com')
  const foreign = await s.contacts.lookupContact(s.us, { email: 'theirs@example.com' }).catch((error: unknown) => error)
  const missing = await s.contacts.lookupContact(s.us, { email: 'never@example.com' }).catch((error: unknown) => error)
  expect(foreign).toMatchObject({ code: 'not_found', message: (missing as Error).message })
})

test('an invalid address is refused with the name of the field', async () => {
  await expect(s.contacts.lookupContact(s.us, { email: 'x' })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'email',
  })
})
