import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('an eligible contact has no reasons, and the answer has the contact, the audience and the time', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const { eligibility } = await s.contacts.getEligibility(s.us, { contactId: contact, audienceId: audience })
  expect(eligibility).toMatchObject({
    eligible: true,
    reasons: [],
    contactId: contact,
    audienceId: audience,
    workspaceId: s.ours,
  })
  expect(Math.abs(timestampDate(eligibility!.evaluatedAt!).getTime() - Date.now())).toBeLessThan(60_000)
})

test('an unknown workspace counts as archived', async () => {
  const unheard = s.as(newId())
  const [contact, audience] = [await s.contact(unheard), await s.audience(unheard)]
  await s.subscribe(contact, audience, unheard)
  expect(await s.reasons(contact, audience, unheard)).toEqual(['workspace_archived'])
})

test('a fresh consent does not lift unverified legacy consent', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'legacy@example.com',
    source: 'old',
    isLegacy: true,
  })
  const audience = await s.audience()
  await s.subscribe(contact!.id, audience)
  expect(await s.reasons(contact!.id, audience)).toEqual(['legacy_consent_unverified'])
})

test('an eligibility query changes nothing', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.reasons(contact, audience)
  expect(await s.events(contact)).toEqual([])
  expect(await s.stage.query('select 1 from contacts.memberships where contact_id = $1', [contact])).toEqual([])
})

test("another tenant's contact and audience answer not_found", async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  for (const id of [await s.contact(s.them), unknownId, 'x']) {
    await expect(s.reasons(id, audience)).rejects.toMatchObject({ code: 'not_found', reason: 'contact' })
  }
  for (const id of [await s.audience(s.them), unknownId, 'x']) {
    await expect(s.reasons(contact, id)).rejects.toMatchObject({ code: 'not_found', reason: 'audience' })
  }
})

test('decisions are counted by result and first reason', async () => {
  const text = await s.app.service.metrics.metrics()
  expect(text).toMatch(/lettergate_eligibility_decisions_total\{[^}]*result="eligible",reason=""/)
  expect(text).toMatch(
    /lettergate_eligibility_decisions_total\{[^}]*result="excluded",reason="legacy_consent_unverified"/,
  )
})
