import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('synthetic recipients are judged and prepared by the real code, and no row of them is stored', async () => {
  const rehearsalId = newId()
  const request = { rehearsalId, recipientCount: 150, batchSize: 50, tokens: ['first_name'] }
  const parts = await Array.fromAsync(s.contacts.rehearseRecipients(s.us, request, { timeoutMs: 30_000 }))
  const verdicts = parts.flatMap(({ part }) => (part.case === 'verdicts' ? part.value : []))
  const eligible = verdicts.flatMap((one) => one.eligible)
  const excluded = verdicts.flatMap((one) => one.verdicts.map(({ reasons }) => reasons.join()))
  expect(eligible.reduce((sum, { count }) => sum + count, 0)).toBe(135)
  expect(Map.groupBy(excluded, (reason) => reason).get('suppressed_workspace')).toHaveLength(8)
  expect(excluded).toHaveLength(15)

  const prepared = parts.flatMap(({ part }) => (part.case === 'prepared' ? part.value.recipients : []))
  expect(prepared).toHaveLength(135)
  for (const { email, mergeFields, preferenceToken } of prepared) {
    expect(email.endsWith(`@${rehearsalId}.invalid`)).toBe(true)
    expect(mergeFields['first_name']).toMatch(/^Recipient \d+$/)
    expect(preferenceToken).not.toBe('')
  }
  const [last] = parts.slice(-1)
  expect(last!.part.case === 'stages' && last!.part.value.stages.map(({ name }) => name)).toEqual([
    'contacts',
    'eligibility',
    'delivery_check',
  ])
  expect(await s.contacts.countRehearsedRows(s.us, { rehearsalId })).toMatchObject({ rows: 0 })
})

test('stored rows are counted, and too many recipients are refused', async () => {
  await s.audience()
  const { rows } = await s.contacts.countRehearsedRows(s.us, { rehearsalId: s.us.caller.workspaceId! })
  expect(rows).toBeGreaterThan(1)
  const request = { rehearsalId: newId(), recipientCount: 10_001, batchSize: 100, tokens: [] }
  await expect(Array.fromAsync(s.contacts.rehearseRecipients(s.us, request))).rejects.toMatchObject({
    code: 'invalid_argument',
  })
})
