import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const prepare = (email: string, caller = s.us) => s.contacts.prepareTestRecipient(caller, { email })

test('a contact is prepared with its own fields and a link that ends all mail of the workspace', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'Ada@Example.test',
    source: 'test',
    firstName: 'Ada',
    updateMask: { paths: ['first_name'] },
  })
  const prepared = await prepare(' ada@EXAMPLE.test ')
  expect(prepared).toMatchObject({
    email: 'ada@example.test',
    normalizedEmail: 'ada@example.test',
    contactId: contact!.id,
    reasons: [],
    mergeFields: { email: 'ada@example.test', first_name: 'Ada' },
  })
  expect(prepared.linkBases?.oneClickUrl).toMatch(/\/preferences\/one-click\/$/)
  const used = await s.contacts.usePreferenceLink(s.us, { token: prepared.preferenceToken, via: 'one_click' })
  expect(used).toMatchObject({ unsubscribed: true, scope: 'workspace' })
  expect((await prepare('ada@example.test')).reasons).toEqual(['suppressed_workspace'])
})

test('an address without a contact gets a valid link that changes nothing, and does not become a contact', async () => {
  const prepared = await prepare('unknown@example.test')
  expect(prepared).toMatchObject({ reasons: [], mergeFields: { email: 'unknown@example.test' } })
  expect(prepared.contactId).toBeUndefined()
  const used = await s.contacts.usePreferenceLink(s.us, { token: prepared.preferenceToken, via: 'one_click' })
  expect(used.unsubscribed).toBe(true)
  expect((await prepare('unknown@example.test')).reasons).toEqual([])
  await expect(s.contacts.lookupContact(s.us, { email: 'unknown@example.test' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

describe('every unresolved suppression is answered', () => {
  test('of an audience that was left', async () => {
    const [contactId, audienceId] = [await s.contact(), await s.audience()]
    await s.subscribe(contactId, audienceId)
    const { email } = (
      await s.stage.query<{ email: string }>('select email from contacts.contacts where id = $1', [contactId])
    )[0]!
    expect((await prepare(email)).reasons).toEqual([])
    await s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
    expect((await prepare(email)).reasons).toEqual(['suppressed_audience'])
  })

  test('platform suppressions are answered in every workspace, also for addresses without a contact', async () => {
    const contactId = await s.contact()
    const { email } = (
      await s.stage.query<{ email: string }>('select email from contacts.contacts where id = $1', [contactId])
    )[0]!
    await s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' })
    await s.stage.query(
      `insert into contacts.platform_suppressions (id, normalized_email, reason) values (gen_random_uuid(), $1, 'legal')`,
      [email.toLowerCase()],
    )
    expect((await prepare(email)).reasons).toEqual(['suppressed_platform', 'suppressed_workspace'])
    expect((await prepare(email, s.them)).reasons).toEqual(['suppressed_platform'])
    expect((await prepare(email, s.them)).contactId).toBeUndefined()
  })
})

test('an invalid address is refused with the name of the field', async () => {
  await expect(prepare('nobody')).rejects.toMatchObject({ code: 'invalid_argument', reason: 'email' })
})
