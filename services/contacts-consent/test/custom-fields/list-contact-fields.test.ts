import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('the list has every field of the workspace once, by key, in its newest version', async () => {
  expect((await s.contacts.listContactFields(s.us, {})).fieldDefinitions).toEqual([])
  for (const [fieldKey, label] of [
    ['zip', 'Post code'],
    ['age', 'Age'],
    ['zip', 'Postal code'],
  ] as const) {
    await s.contacts.defineContactField(s.us, { fieldKey, label, fieldType: 'text' })
  }
  const { fieldDefinitions } = await s.contacts.listContactFields(s.us, {})
  expect(fieldDefinitions).toMatchObject([
    { fieldKey: 'age', label: 'Age', fieldType: 'text', options: [], version: 1 },
    { fieldKey: 'zip', label: 'Postal code', version: 2 },
  ])
  expect((await s.contacts.listContactFields(s.them, {})).fieldDefinitions).toEqual([])
})
