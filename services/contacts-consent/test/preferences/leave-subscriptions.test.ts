import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { baseUrl, unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts({ PREFERENCE_TOKEN_MAX_AGE_SECONDS: '3600' })
})
afterAll(() => s.close())

const reader = () => s.stage.caller({ actor: 'recipient', actorKind: 'recipient', role: null })
const left = ['suppressed_audience', 'consent_withdrawn', 'not_subscribed']

async function tokenOf(contactId: string, audienceId?: string) {
  const ask = audienceId === undefined ? { scope: 'workspace' } : { scope: 'audience', audienceId }
  const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, ...ask })
  return preferenceUrl.slice(`${baseUrl}/preferences/`.length)
}
const leave = async (token: string, audienceIds: string[]) =>
  (await s.contacts.leaveSubscriptions(reader(), { token, audienceIds })).left.map((one) => one.audienceId)
const subscriptionsOf = async (token: string) =>
  (await s.contacts.describePreferenceLink(reader(), { token })).subscriptions.map((one) => one.audienceId)

async function audienceNamed(name: string, caller = s.us) {
  const { audience } = await s.contacts.createAudience(caller, { name, slug: `a-${newId()}`, purpose: 'tests' })
  return audience!.id
}

/** A person with three subscriptions and the link of the first. */
async function person() {
  const contact = await s.contact()
  const audiences = [await audienceNamed('B news'), await audienceNamed('C offers'), await audienceNamed('A events')]
  for (const audience of audiences) await s.subscribe(contact, audience)
  return { contact, audiences: audiences as [string, string, string], token: await tokenOf(contact, audiences[0]) }
}

const auditsOf = async (contactId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ action, subjectId }) => action === 'preference_link_used' && subjectId === contactId)
    .map(({ detail }) => detail)
const recordOf = async (contactId: string) => ({
  events: await s.events(contactId),
  suppressions: await s.suppressions(contactId),
  memberships: await s.stage.query('select * from contacts.memberships where contact_id = $1 order by audience_id', [
    contactId,
  ]),
})

test('a link shows the name of every subscription of the person in this workspace, except archived ones', async () => {
  const { contact, audiences, token } = await person()
  const archived = await s.audience()
  await s.subscribe(contact, archived)
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  await s.audience() // of which the person is no member
  const { subscriptions, audienceId } = await s.contacts.describePreferenceLink(reader(), { token })
  expect(audienceId).toBe(audiences[0])
  expect(subscriptions).toMatchObject([
    { audienceId: audiences[2], audienceName: 'A events' },
    { audienceId: audiences[0], audienceName: 'B news' },
    { audienceId: audiences[1], audienceName: 'C offers' },
  ])
})

test('subscriptions of the same address in another workspace are not shown and not ended', async () => {
  const email = 'both@example.com'
  const [here, there] = [await s.contact(s.us, email), await s.contact(s.them, email)]
  const [ours, theirs] = [await s.audience(), await s.audience(s.them)]
  await s.subscribe(here, ours)
  await s.subscribe(there, theirs, s.them)
  const token = await tokenOf(here, ours)
  expect(await subscriptionsOf(token)).toEqual([ours])
  const before = await recordOf(there)
  expect(await leave(token, [theirs])).toEqual([])
  expect(await recordOf(there)).toEqual(before)
  expect(await s.reasons(there, theirs, s.them)).toEqual([])
  expect(await s.reasons(here, ours)).toEqual([])
})

test('leaving withdraws from each chosen audience, with a consent event and an audit entry, and keeps the other subscriptions', async () => {
  const { contact, audiences, token } = await person()
  expect(await leave(token, [audiences[1], audiences[0]])).toEqual([audiences[0], audiences[1]])
  expect(await s.reasons(contact, audiences[0])).toEqual(left)
  expect(await s.reasons(contact, audiences[1])).toEqual(left)
  expect(await s.reasons(contact, audiences[2])).toEqual([])
  expect(await subscriptionsOf(token)).toEqual([audiences[2]])
  const withdrawn = (await s.events(contact)).filter(({ kind }) => kind === 'withdrawn')
  expect(withdrawn).toHaveLength(2)
  for (const event of withdrawn) {
    expect(event).toMatchObject({
      scope: 'audience',
      actor: 'recipient',
      actor_kind: 'recipient',
      source: 'preference_link',
      evidence: {
        via: 'preference_page',
        link_expired: false,
        link_scope: 'audience',
        link_audience_id: audiences[0],
      },
    })
  }
  expect(await s.suppressions(contact)).toMatchObject([
    { scope: 'audience', reason: 'unsubscribe', resolved_at: null },
    { scope: 'audience', reason: 'unsubscribe', resolved_at: null },
  ])
  const audits = await auditsOf(contact)
  expect(new Set(audits.map((detail) => detail!['audience_id']))).toEqual(new Set(audiences.slice(0, 2)))
  expect(audits).toMatchObject(audits.map(() => ({ scope: 'audience', via: 'preference_page', changed: true })))
})

test('eight concurrent repeats of a choice answer the same and append nothing', async () => {
  s.stage.clock.set(new Date())
  const { contact, audiences, token } = await person()
  const choice = [audiences[0], audiences[2]]
  const answers = await Promise.all(Array.from({ length: 8 }, () => leave(token, choice)))
  const after = await recordOf(contact)
  answers.push(await leave(token, choice), await leave(token, [...choice, ...choice]))
  for (const answer of answers) expect(answer).toEqual([audiences[2], audiences[0]])
  expect(await recordOf(contact)).toEqual(after)
  expect(after.suppressions).toHaveLength(2)
  expect((await auditsOf(contact)).filter((detail) => detail!['changed'] === false)).toHaveLength(1)
  s.stage.clock.release()
})

test('a kept subscription is not created or restored for a person who has left, is suppressed or was never a member', async () => {
  const { contact, audiences, token } = await person()
  await leave(token, [audiences[0]])
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'audience',
    audienceId: audiences[1],
    reason: 'manual',
  })
  const before = await recordOf(contact)
  expect(await leave(token, [])).toEqual([])
  expect(await recordOf(contact)).toEqual(before)
  await leave(token, [audiences[2]])
  expect(await s.reasons(contact, audiences[0])).toEqual(left)
  expect(await s.reasons(contact, audiences[1])).toEqual(['suppressed_audience'])
  expect((await s.events(contact)).filter(({ kind }) => kind === 'granted')).toHaveLength(3)
  expect((await s.suppressions(contact)).every((one) => one.resolved_at === null)).toBe(true)
})

test('an id that is not a subscription of the person changes nothing and answers like an unknown id', async () => {
  const { contact, token } = await person()
  const notTheirs = await s.audience()
  const other = await s.contact()
  await s.subscribe(other, notTheirs)
  const before = [await recordOf(contact), await recordOf(other)]
  for (const id of [notTheirs, await s.audience(s.them), unknownId, newId(), other]) {
    expect(await leave(token, [id])).toEqual([])
  }
  expect([await recordOf(contact), await recordOf(other)]).toEqual(before)
  expect(await s.reasons(other, notTheirs)).toEqual([])
})

test('a person can leave an audience that was archived after the page was opened', async () => {
  const { contact, audiences, token } = await person()
  await s.contacts.archiveAudience(s.us, { audienceId: audiences[1] })
  expect(await leave(token, [audiences[1]])).toEqual([audiences[1]])
  expect((await s.events(contact)).at(-1)).toMatchObject({ kind: 'withdrawn', audience_id: audiences[1] })
})

test('a person can leave the audience of the link without being a member of it', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  const token = await tokenOf(contact, audience)
  expect(await subscriptionsOf(token)).toEqual([])
  expect(await leave(token, [audience])).toEqual([audience])
  expect(await s.reasons(contact, audience)).toEqual(left)
})

test('an aged link of the whole workspace leaves single audiences too, and is audited as aged', async () => {
  const { contact, audiences } = await person()
  const token = await tokenOf(contact)
  s.stage.clock.advance(3_600_000 * 24 * 365)
  expect(await subscriptionsOf(token)).toHaveLength(3)
  expect(await leave(token, [audiences[1]])).toEqual([audiences[1]])
  s.stage.clock.release()
  expect(await s.reasons(contact, audiences[0])).toEqual([])
  expect(await auditsOf(contact)).toMatchObject([{ link_expired: true, scope: 'audience', audience_id: audiences[1] }])
})

test('a link of an unknown contact changes nothing; a forged link and an invalid list are refused', async () => {
  const { contact, audiences, token } = await person()
  await expect(leave(`${token}x`, [audiences[0]])).rejects.toMatchObject({ reason: 'invalid_token' })
  await expect(leave(token, ['x'])).rejects.toMatchObject({ code: 'invalid_argument', reason: 'audience_ids' })
  await expect(leave(token, Array.from({ length: 1_001 }, newId))).rejects.toMatchObject({ reason: 'audience_ids' })
  expect(await s.reasons(contact, audiences[0])).toEqual([])
  await s.stage.query('delete from contacts.contacts where id = $1', [contact])
  expect(await leave(token, [audiences[0]])).toEqual([])
  expect(await subscriptionsOf(token)).toEqual([])
})
