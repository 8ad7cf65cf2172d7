import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AlertRaisedSchema, AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

test('each scope blocks email with its own reason and does not change the membership', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'audience',
    reason: 'manual',
    audienceId: audience,
  })
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience'])
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'workspace',
    reason: 'other',
    evidence: { note: 'asked by phone' },
  })
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_workspace', 'suppressed_audience'])
  await s.contacts.suppressContact(s.us, { contactId: contact, scope: 'platform', reason: 'legal' })
  expect(await s.reasons(contact, audience)).toEqual([
    'suppressed_platform',
    'suppressed_workspace',
    'suppressed_audience',
  ])
  expect(await s.events(contact)).toMatchObject([
    { kind: 'granted' },
    { kind: 'suppressed', scope: 'audience', reason: 'manual' },
    { kind: 'suppressed', scope: 'workspace', reason: 'other', evidence: { note: 'asked by phone' } },
    { kind: 'suppressed', scope: 'platform', reason: 'legal' },
  ])
})

test('a platform suppression holds for the address in every organization, also for contacts made later', async () => {
  const contact = await s.contact(s.us, 'everywhere@example.com')
  const known = await s.contact(s.them, 'Everywhere@example.com')
  const theirAudience = await s.audience(s.them)
  await s.subscribe(known, theirAudience, s.them)
  await s.contacts.suppressContact(s.us, { contactId: contact, scope: 'platform', reason: 'complaint' })
  expect(await s.reasons(known, theirAudience, s.them)).toEqual(['suppressed_platform'])

  const later = s.as(await s.workspace())
  const made = await s.contact(later, 'everywhere@example.com')
  expect(await s.reasons(made, await s.audience(later), later)).toEqual([
    'suppressed_platform',
    'consent_missing',
    'not_subscribed',
  ])
})

test('a platform suppression is audited and raises one alert without an address', async () => {
  const contact = await s.contact(s.us, 'alarm@example.com')
  const alertsBefore = (await s.announced('alert_raised')).length
  const ask = { contactId: contact, scope: 'platform', reason: 'legal' }
  const { suppressionId } = await s.contacts.suppressContact(s.us, ask)
  await s.contacts.suppressContact(s.us, ask)
  const alerts = await s.announced('alert_raised')
  expect(alerts).toHaveLength(alertsBefore + 1)
  expect(fromBinary(AlertRaisedSchema, alerts.at(-1)!.payload)).toMatchObject({
    code: 'platform_suppression_added',
    severity: 'warning',
  })
  expect(alerts.at(-1)!.payload.toString()).not.toContain('alarm@')
  const audited = fromBinary(AuditRecordedSchema, (await s.announced('audit_recorded')).at(-1)!.payload)
  expect(audited).toMatchObject({
    action: 'contact_suppressed',
    subjectId: suppressionId,
    actor: 'tester',
    detail: { scope: 'platform' },
  })
})

test('a repeat answers the unresolved suppression; after it is resolved a new one is created', async () => {
  const contact = await s.contact()
  const ask = { contactId: contact, scope: 'workspace', reason: 'manual' }
  const answers = await Promise.all([s.contacts.suppressContact(s.us, ask), s.contacts.suppressContact(s.us, ask)])
  expect(answers[0].suppressionId).toBe(answers[1].suppressionId)
  await s.resolve(answers[0].suppressionId)
  expect((await s.contacts.suppressContact(s.us, ask)).suppressionId).not.toBe(answers[0].suppressionId)
})

test.each([
  ['scope', { scope: 'planet' }],
  ['reason', { reason: 'mood' }],
  ['audience_id', { scope: 'audience' }],
  ['audience_id', { scope: 'workspace', audienceId: unknownId }],
  ['audience_id', { scope: 'platform', audienceId: unknownId }],
  ['audience_id', { scope: 'audience', audienceId: unknownId }],
  ['source', { source: '' }],
])('an invalid %s is refused with the name of the field', async (reason, part) => {
  const ask = { contactId: await s.contact(), scope: 'workspace', reason: 'manual', ...part }
  await expect(s.contacts.suppressContact(s.us, ask)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test("another tenant's contact answers not_found", async () => {
  for (const contactId of [await s.contact(s.them), unknownId, 'x']) {
    await expect(
      s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  }
})
