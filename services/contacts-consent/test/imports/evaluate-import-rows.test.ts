import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { approval, contentOf, newImport, rowsOf } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

test('an evaluation writes nothing, not even a tag', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'birthday', label: 'Birthday', fieldType: 'date' })
  const known = await s.contact(s.us, 'known@example.com')
  await s.subscribe(known, audience)
  await s.erase(await s.contact(s.us, 'erased@example.com'))
  const before = await contentOf(s)
  const rows = [
    { email: 'new@example.com', status: 'subscribed', tags: 'never-stored' },
    { email: 'known@example.com', status: 'subscribed', first_name: 'Ada' },
    { email: 'known2@example.com', status: 'suppressed' },
    { email: 'erased@example.com', status: 'subscribed' },
    { email: 'bad@example.com', status: 'subscribed', 'custom.birthday': '1.4.1980' },
    { email: 'none', status: 'subscribed' },
  ]
  expect(await newImport(s, audience, { staticTags: ['never-stored-either'] }).evaluate(rows)).toEqual([
    'consent_recorded new',
    'already_subscribed existing',
    'suppressed new',
    'blocked_by_suppression none erased',
    'refused none custom.birthday_invalid',
    'refused none email_invalid',
  ])
  expect(await contentOf(s)).toEqual(before)
})

test('a batch that its caller built wrongly is refused with what is wrong', async () => {
  const { plan } = newImport(s, audience)
  const evaluate = (rows: object, more: object = {}) =>
    s.contacts.evaluateImportRows(s.us, { plan: { ...plan, ...more }, rows })
  const column = (target: string, ...values: string[]) => ({ target, values: values.join('\u001f') })
  const one = rowsOf([{ email: 'a@example.com' }])
  const wrong: [object, RegExp][] = [
    [{ rowNumbers: [1] }, /email is required/],
    [{ rowNumbers: [0], columns: [column('email', 'a@example.com')] }, /row number/],
    [{ rowNumbers: [1, 1], columns: [column('email', 'a@example.com', 'b@example.com')] }, /row number/],
    [{ rowNumbers: [1, 2], columns: [column('email', 'a@example.com')] }, /one value for each row/],
    [{ rowNumbers: [1], columns: [column('email', 'a@example.com', '')] }, /one value for each row/],
    [{ rowNumbers: [1, 2], columns: [column('email', 'a@example.com', 'A@EXAMPLE.com')] }, /twice/],
    [{ ...one, columns: [...one.columns, column('nickname', 'x')] }, /nickname is not a target/],
    [{ ...one, columns: [...one.columns, column('custom.unknown', 'x')] }, /not defined/],
    [{ ...one, columns: [...one.columns, ...one.columns] }, /target must be there once/],
    [{ ...one, columns: [...one.columns, column('status', 'maybe')] }, /status must be/],
    [rowsOf(Array.from({ length: 4_001 }, (_, n) => ({ email: `p${n}@example.com` }))), /at most 4000/],
  ]
  for (const [rows, message] of wrong) {
    await expect(evaluate(rows)).rejects.toMatchObject({ reason: 'rows', message: expect.stringMatching(message) })
  }
  const rows = rowsOf(Array.from({ length: 2_001 }, (_, n) => ({ email: `p${n}@example.com` })))
  await expect(s.contacts.applyImportRows(s.us, { plan, approval, rows })).rejects.toThrow('at most 2000')
  await expect(evaluate(one, { consentPolicy: 'trust_me' })).rejects.toMatchObject({ reason: 'consent_policy' })
  await expect(evaluate(one, { wordingVersion: undefined })).rejects.toMatchObject({ reason: 'wording_version' })
  await expect(evaluate(one, { importId: 'x' })).rejects.toMatchObject({ reason: 'import_id' })
  await expect(s.contacts.evaluateImportRows(s.us, { rows: one })).rejects.toMatchObject({ reason: 'plan' })
  await expect(s.contacts.evaluateImportRows(s.us, { plan })).rejects.toMatchObject({ reason: 'rows' })
})

test('a batch without rows has no outcomes', async () => {
  expect(await newImport(s, audience).evaluate([])).toEqual([])
  expect(await newImport(s, audience).apply([])).toEqual([])
})

test('the contacts of another tenant do not count', async () => {
  const theirs = await s.audience(s.them)
  await s.contact(s.us, 'ours.alone@example.com')
  const rows = [{ email: 'ours.alone@example.com', status: 'subscribed' }]
  expect(await newImport(s, theirs, { caller: s.them }).evaluate(rows)).toEqual(['consent_recorded new'])
  await expect(newImport(s, audience, { caller: s.them }).evaluate(rows)).rejects.toMatchObject({
    reason: 'audience_id',
  })
})
