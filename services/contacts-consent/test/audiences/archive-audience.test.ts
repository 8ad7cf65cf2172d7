import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

test('an archived audience accepts no subscription and sends no email; it keeps its members and its slug', async () => {
  const [audienceId, contact] = [await s.audience(), await s.contact()]
  await s.subscribe(contact, audienceId)
  expect(await s.contacts.archiveAudience(s.us, { audienceId })).toMatchObject({ archived: true })
  expect(await s.reasons(contact, audienceId)).toEqual(['audience_archived'])
  await expect(s.subscribe(await s.contact(), audienceId)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'audience_archived',
  })
  const { audience } = await s.contacts.getAudience(s.us, { audienceId })
  expect(audience).toMatchObject({ isArchived: true, activeMemberCount: 1 })
  const again = { name: 'Again', slug: audience!.slug, purpose: 'again', minimumIntervalSeconds: 0 }
  await expect(s.contacts.createAudience(s.us, again)).rejects.toMatchObject({ code: 'conflict', reason: 'slug' })
})

test('repeated and concurrent archive requests succeed and are audited once', async () => {
  const audienceId = await s.audience()
  const archive = () => s.contacts.archiveAudience(s.us, { audienceId })
  await Promise.all(Array.from({ length: 5 }, archive))
  expect(await archive()).toMatchObject({ archived: true })
  const audited = (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((record) => record.subjectId === audienceId && record.action === 'audience_archived')
  expect(audited).toMatchObject([{ subjectType: 'audience', actor: 'tester' }])
})

test("another tenant's audience answers not_found and is not archived", async () => {
  const theirs = await s.audience(s.them)
  for (const audienceId of [theirs, unknownId, 'x']) {
    await expect(s.contacts.archiveAudience(s.us, { audienceId })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'audience',
    })
  }
  expect((await s.contacts.getAudience(s.them, { audienceId: theirs })).audience).toMatchObject({ isArchived: false })
})
