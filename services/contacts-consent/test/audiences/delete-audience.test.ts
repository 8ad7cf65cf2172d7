import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const remove = (audienceId: string, caller = s.us) => s.contacts.deleteAudience(caller, { audienceId })
const left = (table: string, audienceId: string) =>
  s.stage.query(`select * from contacts.${table} where audience_id = $1`, [audienceId])

test('deleting an audience deletes its memberships and counts and keeps its consent record and suppressions', async () => {
  const [audienceId, other] = [await s.audience(), await s.audience()]
  const [stays, leaves] = [await s.contact(), await s.contact()]
  for (const contact of [stays, leaves]) {
    await s.subscribe(contact, audienceId)
    await s.subscribe(contact, other)
  }
  await s.contacts.unsubscribeContact(s.us, { contactId: leaves, audienceId })
  expect(await remove(audienceId)).toMatchObject({ deleted: true })
  for (const table of ['memberships', 'audience_member_counts']) expect(await left(table, audienceId)).toEqual([])
  expect(await left('consent_events', audienceId)).toHaveLength(3)
  expect(await left('suppressions', audienceId)).toHaveLength(1)
  expect(await s.reasons(leaves, other)).toEqual([])
  expect((await s.contacts.getAudience(s.us, { audienceId: other })).audience!.activeMemberCount).toBe(2)
  const [suppression] = await s.suppressions(leaves)
  const resolved = await s.contacts.resolveSuppression(s.us, {
    suppressionId: suppression!.id,
    resolutionReason: 'its audience is gone',
  })
  expect(resolved).toMatchObject({ resolved: true })
})

test('deleting an audience deletes all members, also more than one batch of each state', async () => {
  const audienceId = await s.audience()
  await s.stage.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select $1, gen_random_uuid(), 'm' || n || '@example.com', 'm' || n || '@example.com' from generate_series(1, 41000) n
       returning id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active)
     select $1, $2, id, row_number() over () % 2 = 0 from made`,
    [s.ours, audienceId],
  )
  expect((await s.contacts.getAudience(s.us, { audienceId })).audience!.activeMemberCount).toBe(20_500)
  await remove(audienceId)
  expect(await left('memberships', audienceId)).toEqual([])
})

test('the slug of a deleted audience can be used again, and its old links stay valid', async () => {
  const audienceId = await s.audience()
  const { slug } = (await s.contacts.getAudience(s.us, { audienceId })).audience!
  const contactId = await s.contact()
  const { oneClickUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'audience', audienceId })
  await remove(audienceId)
  const token = oneClickUrl.split('/').at(-1)!
  expect(await s.contacts.usePreferenceLink(s.us, { token, via: 'one_click' })).toMatchObject({ unsubscribed: true })
  const again = { name: 'Again', slug, purpose: 'again', minimumIntervalSeconds: 0 }
  expect((await s.contacts.createAudience(s.us, again)).audience!.slug).toBe(slug)
})

test('an audience in the list of a subscription source cannot be deleted until that source is revoked', async () => {
  const audienceId = await s.audience()
  await s.contacts.createSubscriptionSource(s.us, {
    slug: 'site',
    displayName: 'Site',
    allowedOrigins: ['https://example.com'],
    allowedAudienceIds: [audienceId],
  })
  const refusal = { code: 'failed_precondition', reason: 'audience_in_use', message: expect.stringContaining('site') }
  await expect(remove(audienceId)).rejects.toMatchObject(refusal)
  await s.contacts.setSourceStatus(s.us, { sourceSlug: 'site', status: 'suspended' })
  await expect(remove(audienceId)).rejects.toMatchObject(refusal)
  expect((await s.contacts.getAudience(s.us, { audienceId })).audience!.isArchived).toBe(false)
  await s.contacts.setSourceStatus(s.us, { sourceSlug: 'site', status: 'revoked' })
  expect(await remove(audienceId)).toMatchObject({ deleted: true })
})

test('concurrent subscribes, withdrawals and a deletion cause no internal error and leave no rows', async () => {
  for (let round = 0; round < 5; round += 1) {
    const audienceId = await s.audience()
    const people = await Promise.all(Array.from({ length: 8 }, () => s.contact()))
    await Promise.all(people.slice(0, 4).map((contact) => s.subscribe(contact, audienceId)))
    const answers = await Promise.allSettled([
      ...people.map((contact, n) =>
        n % 2
          ? s.subscribe(contact, audienceId)
          : s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId }),
      ),
      remove(audienceId),
      remove(people[0]!).catch(() => undefined),
      s.contacts.deleteContact(s.us, { contactId: people[1]! }).catch(() => undefined),
    ])
    for (const answer of answers) {
      if (answer.status === 'rejected') {
        expect(['not_found', 'failed_precondition', 'invalid_argument']).toContain(
          (answer.reason as { code: string }).code,
        )
      }
    }
    for (const table of ['memberships', 'audience_member_counts']) expect(await left(table, audienceId)).toEqual([])
  }
})

test('a deletion is audited once, also with concurrent requests', async () => {
  const audienceId = await s.audience()
  const answers = await Promise.allSettled(Array.from({ length: 4 }, () => remove(audienceId)))
  expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1)
  const audited = (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((record) => record.subjectId === audienceId && record.action === 'audience_deleted')
  expect(audited).toMatchObject([{ subjectType: 'audience', actor: 'tester' }])
})

test("a deleted audience and another tenant's audience answer not_found", async () => {
  const gone = await s.audience()
  const theirs = await s.audience(s.them)
  await remove(gone)
  for (const audienceId of [gone, theirs, unknownId, 'x']) {
    await expect(remove(audienceId)).rejects.toMatchObject({ code: 'not_found', reason: 'audience' })
  }
  expect((await s.contacts.getAudience(s.them, { audienceId: theirs })).audience).toMatchObject({ isArchived: false })
})
