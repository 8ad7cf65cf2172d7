import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema, SuppressionResolvedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const resolve = (suppressionId: string, caller = s.us, resolutionReason = 'asked by phone') =>
  s.contacts.resolveSuppression(caller, { suppressionId, resolutionReason })
const suppress = async (contactId: string, scope: string, reason = 'manual', caller = s.us) =>
  (
    await s.contacts.suppressContact(caller, {
      contactId,
      scope,
      reason,
      ...(scope === 'audience' ? { audienceId: audience } : {}),
    })
  ).suppressionId
const resolvedEvents = async () =>
  (await s.announced('suppression_resolved')).map(({ payload }) => fromBinary(SuppressionResolvedSchema, payload))

test.each(['audience', 'workspace'])('a resolved suppression of %s scope blocks no contact', async (scope) => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  const suppressionId = await suppress(contact, scope)
  expect(await s.reasons(contact, audience)).toEqual([`suppressed_${scope}`])
  expect(await resolve(suppressionId)).toMatchObject({ resolved: true })
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('a resolution is recorded, stored with the suppression, published, and audited without its reason', async () => {
  const contact = await s.contact()
  const suppressionId = await suppress(contact, 'audience', 'other')
  await resolve(suppressionId, s.us, 'wrote from ada@example.com')
  const record = await s.events(contact)
  expect(record.map((event) => event['kind'])).toEqual(['suppressed', 'resolved'])
  expect(record[1]).toMatchObject({
    scope: 'audience',
    audience_id: audience,
    suppression_id: suppressionId,
    reason: 'other',
    actor: 'tester',
  })
  const [row] = await s.stage.query('select * from contacts.suppressions where id = $1', [suppressionId])
  expect(row).toMatchObject({
    resolved_at: expect.any(Date),
    resolved_by: 'tester',
    resolution_reason: 'wrote from ada@example.com',
  })
  expect((await resolvedEvents()).at(-1)).toMatchObject({
    suppressionId,
    contactId: contact,
    scope: 'audience',
    reason: 'other',
    audienceId: audience,
  })
  const audited = (await s.announced('audit_recorded')).at(-1)!
  expect(fromBinary(AuditRecordedSchema, audited.payload)).toMatchObject({
    action: 'suppression_resolved',
    subjectType: 'suppression',
    subjectId: suppressionId,
    actor: 'tester',
    detail: { contact_id: contact, scope: 'audience', reason: 'other' },
  })
  expect(audited.payload.toString()).not.toContain('ada@')
})

test('repeated and concurrent resolutions succeed and change nothing', async () => {
  const contact = await s.contact()
  const suppressionId = await suppress(contact, 'workspace')
  const before = (await resolvedEvents()).length
  const answers = await Promise.all(Array.from({ length: 5 }, (_, n) => resolve(suppressionId, s.us, `reason ${n}`)))
  expect(answers.every((answer) => answer.resolved)).toBe(true)
  const [first] = await s.stage.query('select * from contacts.suppressions where id = $1', [suppressionId])
  expect(await resolve(suppressionId, s.us, 'later')).toMatchObject({ resolved: true })
  expect(await s.stage.query('select * from contacts.suppressions where id = $1', [suppressionId])).toEqual([first])
  expect((await s.events(contact)).map((event) => event['kind'])).toEqual(['suppressed', 'resolved'])
  expect(await resolvedEvents()).toHaveLength(before + 1)
})

test('a resolution does not subscribe: a withdrawn contact also needs a new consent', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience })
  const [left] = await s.suppressions(contact)
  await resolve(left!.id)
  expect(await s.reasons(contact, audience)).toEqual(['consent_withdrawn', 'not_subscribed'])
  await s.subscribe(contact, audience)
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('several suppressions are resolved separately', async () => {
  const contact = await s.contact()
  await s.subscribe(contact, audience)
  const manual = await suppress(contact, 'workspace', 'manual')
  const complaint = await suppress(contact, 'workspace', 'complaint')
  await resolve(manual)
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_workspace'])
  await resolve(complaint)
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('only an owner or administrator of the platform can resolve a platform suppression, for every workspace', async () => {
  const contact = await s.contact(s.us, 'platform@example.com')
  const elsewhere = await s.contact(s.them, 'platform@example.com')
  const theirAudience = await s.audience(s.them)
  await s.subscribe(elsewhere, theirAudience, s.them)
  const suppressionId = await suppress(contact, 'platform', 'legal')
  for (const platformRole of [null, 'support']) {
    await expect(resolve(suppressionId, s.as(s.ours, { platformRole, role: 'owner' }))).rejects.toMatchObject({
      code: 'permission_denied',
      reason: 'platform_role',
    })
  }
  expect(await s.reasons(elsewhere, theirAudience, s.them)).toEqual(['suppressed_platform'])
  expect(await resolve(suppressionId, s.as(s.ours, { platformRole: 'administrator' }))).toMatchObject({
    resolved: true,
  })
  expect(await s.reasons(elsewhere, theirAudience, s.them)).toEqual([])
  // Also a repeat takes the platform role.
  await expect(resolve(suppressionId)).rejects.toMatchObject({ code: 'permission_denied' })
  expect(await resolve(suppressionId, s.as(s.ours, { platformRole: 'owner' }))).toMatchObject({ resolved: true })
})

test('two workspaces that suppressed one address resolve their own suppressions', async () => {
  const platform = { platformRole: 'owner' }
  const [ours, theirs] = [await s.contact(s.us, 'twice@example.com'), await s.contact(s.them, 'twice@example.com')]
  const ourBan = await suppress(ours, 'platform', 'legal')
  const theirBan = await suppress(theirs, 'platform', 'legal', s.them)
  await s.contacts
    .subscribeContact(s.us, { contactId: ours, audienceId: audience, source: 'f', wordingVersion: '1' })
    .catch((error: unknown) => expect(error).toMatchObject({ reason: 'suppressed_platform' }))
  await resolve(ourBan, s.as(s.ours, platform))
  expect(await s.reasons(ours, audience)).toContain('suppressed_platform')
  await resolve(theirBan, s.as(s.theirs, platform))
  expect(await s.reasons(ours, audience)).not.toContain('suppressed_platform')
})

test("another tenant's suppression answers not_found, for every scope and every caller", async () => {
  const theirs = await s.contact(s.them)
  const asPlatform = s.as(s.ours, { platformRole: 'owner' })
  for (const id of [
    await suppress(theirs, 'workspace', 'manual', s.them),
    await suppress(theirs, 'platform', 'manual', s.them),
    unknownId,
    'x',
  ]) {
    for (const caller of [s.us, asPlatform]) {
      await expect(resolve(id, caller)).rejects.toMatchObject({ code: 'not_found', reason: 'suppression' })
    }
  }
  for (const left of await s.suppressions(theirs)) expect(left.resolved_at).toBeNull()
})

test.each([
  ['', 'empty'],
  [' ', 'blank'],
  ['x'.repeat(501), 'too long'],
])('an invalid resolution_reason is refused with the name of the field', async (resolutionReason) => {
  await expect(resolve(unknownId, s.us, resolutionReason)).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'resolution_reason',
  })
})
