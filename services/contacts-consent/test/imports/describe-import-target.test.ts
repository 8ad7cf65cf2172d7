import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, unknownId, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const describeTarget = (audienceId: string, fieldKeys: string[] = [], caller = s.us) =>
  s.contacts.describeImportTarget(caller, { audienceId, fieldKeys })

test('an audience is live, archived or missing, and of the fields only the defined ones are there', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'birthday', label: 'Birthday', fieldType: 'date' })
  const live = await s.audience()
  const archived = await s.audience()
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  expect(await describeTarget(live, ['birthday', 'shoe_size'])).toMatchObject({
    audienceState: 'live',
    fields: [{ fieldKey: 'birthday', fieldType: 'date' }],
  })
  expect(await describeTarget(archived)).toMatchObject({ audienceState: 'archived', fields: [] })
  for (const missing of [unknownId, 'no id']) expect((await describeTarget(missing)).audienceState).toBe('missing')
})

test('the audience and the fields of another tenant are missing', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'ours_only', label: 'Ours', fieldType: 'text' })
  const ours = await s.audience()
  expect(await describeTarget(ours, ['ours_only'], s.them)).toMatchObject({ audienceState: 'missing', fields: [] })
})
