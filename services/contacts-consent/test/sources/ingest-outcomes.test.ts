import { fromBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { newSource, openContacts, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
let shop: Awaited<ReturnType<typeof newSource>>
beforeAll(async () => {
  s = await openContacts()
  shop = await newSource(s)
})
afterAll(() => s.close())

const contactIdOf = async (email: string, caller = s.us) =>
  (await s.contacts.lookupContact(caller, { email })).contact!.id
const withdraw = (contactId: string, audienceId = shop.audienceId) =>
  s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
const resolveAll = async (contactId: string) => {
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
}

test('an event of a suppressed person is recorded without a subscription, and the answer has the widest suppression', async () => {
  const cases = [
    ['audience', 'suppressed_audience'],
    ['workspace', 'suppressed_workspace'],
    ['platform', 'suppressed_platform'],
  ] as const
  const email = `${randomUUID()}@example.com`
  const contactId = await s.contact(s.us, email)
  for (const [scope, reasonClass] of cases) {
    await s.contacts.suppressContact(s.us, {
      contactId,
      scope,
      reason: 'manual',
      ...(scope === 'audience' ? { audienceId: shop.audienceId } : {}),
    })
    expect(await shop.ingest(shop.event({ contact: { email } }))).toMatchObject({
      status: 'suppressed',
      reasonClass,
      audienceMembershipActive: false,
    })
  }
  expect((await s.events(contactId)).filter((one) => one['kind'] === 'granted')).toHaveLength(3)
  expect(await s.stage.query('select 1 from contacts.memberships where contact_id = $1', [contactId])).toEqual([])
})

test('a platform suppression of another tenant suppresses the address in this workspace', async () => {
  const email = `${randomUUID()}@example.com`
  const there = await s.contact(s.them, email)
  await s.contacts.suppressContact(s.them, { contactId: there, scope: 'platform', reason: 'legal' })
  expect(await shop.ingest(shop.event({ contact: { email } }))).toMatchObject({ reasonClass: 'suppressed_platform' })
})

test('a legacy contact without documented consent is left for review until an operator subscribes it', async () => {
  const email = `${randomUUID()}@example.com`
  await s.contacts.upsertContact(s.us, { email, source: 'test', isLegacy: true, updateMask: { paths: ['is_legacy'] } })
  expect(await shop.ingest(shop.event({ contact: { email } }))).toMatchObject({
    status: 'review_required',
    reasonClass: 'review_legacy_contact',
    audienceMembershipActive: false,
  })
  const contactId = await contactIdOf(email)
  expect(await s.reasons(contactId, shop.audienceId)).toEqual([
    'consent_under_review',
    'legacy_consent_unverified',
    'not_subscribed',
  ])
  await s.subscribe(contactId, shop.audienceId)
  expect(await s.reasons(contactId, shop.audienceId)).toEqual(['legacy_consent_unverified'])
})

test('a consent from before a withdrawal is left for review, and a later consent is accepted', async () => {
  const email = `${randomUUID()}@example.com`
  const contactId = await s.contact(s.us, email)
  await s.subscribe(contactId, shop.audienceId)
  await withdraw(contactId)
  await resolveAll(contactId)
  const old = shop.event({ contact: { email }, capturedAt: timestampFromDate(new Date(Date.now() - 3_600_000)) })
  expect(await shop.ingest(old)).toMatchObject({
    status: 'review_required',
    reasonClass: 'review_consent_conflict',
    audienceMembershipActive: false,
  })
  expect(await s.reasons(contactId, shop.audienceId)).toEqual([
    'consent_withdrawn',
    'consent_under_review',
    'not_subscribed',
  ])
  const fresh = shop.event({ contact: { email }, capturedAt: timestampFromDate(new Date(Date.now() + 60_000)) })
  expect(await shop.ingest(fresh)).toMatchObject({ status: 'accepted', audienceMembershipActive: true })
  expect(await s.reasons(contactId, shop.audienceId)).toEqual([])
})

test('a consent from before a withdrawal from the workspace is left for review, also without a membership in the audience', async () => {
  const email = `${randomUUID()}@example.com`
  const contactId = await s.contact(s.us, email)
  const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
  await s.contacts.usePreferenceLink(s.stage.caller({}), { token: preferenceUrl.split('/').at(-1)!, via: 'one_click' })
  await resolveAll(contactId)
  expect(await shop.ingest(shop.event({ contact: { email } }))).toMatchObject({
    reasonClass: 'review_consent_conflict',
  })
  expect(await s.reasons(contactId, shop.audienceId)).toEqual([
    'consent_withdrawn',
    'consent_under_review',
    'not_subscribed',
  ])
})

test('a late consent marks a membership of a newer consent for review and keeps it active', async () => {
  const email = `${randomUUID()}@example.com`
  const contactId = await s.contact(s.us, email)
  await s.subscribe(contactId, shop.audienceId)
  await withdraw(contactId)
  await resolveAll(contactId)
  await s.subscribe(contactId, shop.audienceId)
  const old = shop.event({ contact: { email }, capturedAt: timestampFromDate(new Date(Date.now() - 3_600_000)) })
  expect(await shop.ingest(old)).toMatchObject({ status: 'review_required', audienceMembershipActive: true })
  expect(await s.reasons(contactId, shop.audienceId)).toEqual(['consent_under_review'])
})

test('an accepted sign-up announces that consent was given, and one that is suppressed announces nothing', async () => {
  const email = `${randomUUID()}@example.com`
  const accepted = await shop.ingest(shop.event({ contact: { email } }))
  const contactId = await contactIdOf(email)
  await withdraw(contactId)
  expect(await shop.ingest(shop.event({ contact: { email } }))).not.toMatchObject({ status: 'accepted' })
  const granted = (await s.announced('consent_granted'))
    .map(({ payload }) => fromBinary(ConsentGrantedSchema, payload))
    .filter((one) => one.contactId === contactId)
  expect(granted).toMatchObject([{ audienceId: shop.audienceId, consentEventId: accepted.consentEventId }])
})
