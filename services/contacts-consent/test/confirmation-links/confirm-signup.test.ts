import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { randomUUID } from 'node:crypto'
import {
  AuditRecordedSchema,
  ConsentGrantedSchema,
  SignupConfirmationRequestedSchema,
} from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { ConsentProof } from '../../src/consent-record/consent-proof.ts'
import { verifyConsentProof } from '../../src/consent-record/verify-consent-proof.ts'
import { asSource, newSource, openContacts, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
let shop: Awaited<ReturnType<typeof newSource>>
const email = { senderIdentityId: newId(), contentVersionId: newId() }
beforeAll(async () => {
  s = await openContacts()
  shop = await newSource(s, { allowsAllAudiences: true })
  await s.contacts.setSourceConfirmation(s.us, { sourceSlug: shop.slug, ...email })
})
afterAll(() => s.close())

const recipient = () => ({
  ...asSource(s.us),
  caller: { ...s.us.caller, workspaceId: null, actorKind: 'recipient' as const },
})

/** The confirmations that were asked for, oldest first. */
const requested = async () =>
  (await s.announced('signup_confirmation_requested')).map(({ payload }) =>
    fromBinary(SignupConfirmationRequestedSchema, payload),
  )

/** A sign-up that waits, with the token of its link. */
async function signUp({ address = `${randomUUID()}@example.com`, audienceId = shop.audienceId } = {}) {
  const answer = await shop.ingest({
    ...shop.event({ contact: { email: address } }),
    destinationAudienceId: audienceId,
  })
  const { contact } = await s.contacts.lookupContact(s.us, { email: address })
  const mine = (await requested()).filter((one) => one.contactId === contact!.id && one.audienceId === audienceId)
  const confirmationId = mine.at(-1)?.confirmationId
  const prepared = confirmationId && (await s.contacts.prepareConfirmation(s.us, { confirmationId }))
  const token = prepared ? (prepared.mergeFields['confirmation_url'] ?? '').split('/').at(-1)! : ''
  return { answer, address, contactId: contact!.id, confirmationId: confirmationId!, requests: mine.length, token }
}

const confirm = (token: string) => s.contacts.confirmSignup(recipient(), { token })
const describeLink = (token: string) => s.contacts.describeConfirmation(recipient(), { token })
const reasons = (contactId: string, audienceId = shop.audienceId) => s.reasons(contactId, audienceId)
const expire = (id: string) =>
  s.stage.query(`update contacts.signup_confirmations set expires_at = now() - interval '1 second' where id = $1`, [id])

test('a sign-up that would be accepted waits for its confirmation, and one email is asked for', async () => {
  const { answer, contactId, confirmationId, requests } = await signUp()
  expect(answer).toMatchObject({
    status: 'review_required',
    reasonClass: 'confirmation_pending',
    audienceMembershipActive: false,
  })
  expect(await reasons(contactId)).toEqual(['consent_missing', 'confirmation_pending', 'not_subscribed'])
  expect(requests).toBe(1)
  const request = (await requested()).find((one) => one.confirmationId === confirmationId)!
  expect(request).toMatchObject({ ...email, contactId, audienceId: shop.audienceId })
  expect(await s.stage.query('select 1 from contacts.memberships where contact_id = $1', [contactId])).toEqual([])
})

test('what the form says about a person is in the email only if it is a name, so that nobody can send links with it', async () => {
  const address = `${randomUUID()}@example.com`
  const contact = { email: address, firstName: 'Ada', lastName: 'win at https://evil.example', company: 'evil.example' }
  await shop.ingest(shop.event({ contact }))
  const { contact: stored } = await s.contacts.lookupContact(s.us, { email: address })
  expect(stored).toMatchObject({ lastName: 'win at https://evil.example' })
  const { confirmationId } = (await requested()).find(({ contactId }) => contactId === stored!.id)!
  const { mergeFields } = await s.contacts.prepareConfirmation(s.us, { confirmationId })
  expect(mergeFields).toEqual({ email: address, first_name: 'Ada', confirmation_url: expect.any(String) })
})

test('opening the link confirms nothing, and the button makes the contact a member', async () => {
  const { token, contactId } = await signUp()
  for (let opened = 0; opened < 2; opened += 1)
    expect(await describeLink(token)).toMatchObject({ state: 'pending', audienceName: 'Monthly' })
  expect(await reasons(contactId)).toContain('confirmation_pending')
  expect(await confirm(token)).toMatchObject({ state: 'confirmed', workspaceName: 'Acme Newsletter' })
  expect(await reasons(contactId)).toEqual([])
})

test('the consent has the sign-up and the confirmation as evidence, and the proof shows both', async () => {
  const { token, contactId, confirmationId, answer } = await signUp()
  await confirm(token)
  const events = await s.events(contactId)
  expect(events).toMatchObject([
    { id: answer.consentEventId, kind: 'granted', reason: 'confirmation_pending', actor_kind: 'source' },
    {
      kind: 'granted',
      reason: null,
      actor_kind: 'recipient',
      wording_version: 'footer-2026',
      evidence: {
        wording_sha256: 'a'.repeat(64),
        sign_up: { consent_event_id: answer.consentEventId },
        confirmation: { confirmation_id: confirmationId, via: 'confirmation_link' },
      },
    },
  ])
  const proof = (await s.contacts.getConsentProof(s.us, { contactId })).proof as unknown as ConsentProof
  expect(verifyConsentProof(proof)).toMatchObject({ findings: [], doubts: [] })
  expect(proof.events).toHaveLength(2)
  const audits = (await s.announced('audit_recorded')).map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
  expect(audits.filter((one) => one.action === 'sign_up_confirmed' && one.subjectId === contactId)).toHaveLength(1)
})

test('consent is announced as given when the sign-up is confirmed, once, and not before', async () => {
  const { token, contactId } = await signUp()
  const granted = async () =>
    (await s.announced('consent_granted'))
      .map(({ payload }) => fromBinary(ConsentGrantedSchema, payload))
      .filter((one) => one.contactId === contactId)
  expect(await granted()).toEqual([])
  for (let press = 0; press < 2; press += 1) await confirm(token)
  const [, confirmed] = await s.events(contactId)
  expect(await granted()).toMatchObject([{ contactId, audienceId: shop.audienceId, consentEventId: confirmed!['id'] }])
})

test('a proof of a sign-up that waits names the event that it waits for', async () => {
  const { contactId, answer } = await signUp()
  const proof = (await s.contacts.getConsentProof(s.us, { contactId })).proof as unknown as ConsentProof
  const verdict = proof.audiences.find((one) => one.id === shop.audienceId)!
  expect(verdict).toMatchObject({ eligible: false })
  expect(JSON.stringify(verdict)).toContain(answer.consentEventId)
})

test('pressing the button again, also at the same time, adds nothing to the record', async () => {
  const { token, contactId } = await signUp()
  const states = await Promise.all(Array.from({ length: 5 }, () => confirm(token)))
  expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['confirmed']))
  expect(await s.events(contactId)).toHaveLength(2)
})

test('a sign-up that is repeated while it waits gets no second email', async () => {
  const { address, confirmationId } = await signUp()
  const again = await signUp({ address })
  expect(again.answer).toMatchObject({ status: 'review_required', reasonClass: 'confirmation_pending' })
  expect(again).toMatchObject({ requests: 1, confirmationId })
})

test('a confirmation expires, and a new sign-up asks again, at most three times a day over all audiences', async () => {
  const { address, contactId, confirmationId, token } = await signUp()
  await expire(confirmationId)
  expect(await reasons(contactId)).toEqual(['consent_missing', 'not_subscribed'])
  expect(await confirm(token)).toMatchObject({ state: 'expired' })
  expect((await s.contacts.prepareConfirmation(s.us, { confirmationId })).reasons).toEqual(['confirmation_ended'])
  expect((await signUp({ address })).requests).toBe(2)
  expect((await signUp({ address, audienceId: await s.audience() })).requests).toBe(1)
  const limited = await signUp({ address, audienceId: await s.audience() })
  expect(limited).toMatchObject({ requests: 0, answer: { reasonClass: 'confirmation_pending' } })
})

test('a withdrawal between the sign-up and the button wins', async () => {
  const byLink = await signUp()
  const prepared = await s.contacts.prepareConfirmation(s.us, { confirmationId: byLink.confirmationId })
  await s.contacts.usePreferenceLink(recipient(), { token: prepared.preferenceToken, via: 'one_click' })
  const byOperator = await signUp()
  const withdrawal = { contactId: byOperator.contactId, audienceId: shop.audienceId }
  await s.contacts.unsubscribeContact(s.us, withdrawal)
  for (const { token, contactId, confirmationId } of [byLink, byOperator]) {
    expect((await s.contacts.prepareConfirmation(s.us, { confirmationId })).reasons).toEqual(['confirmation_ended'])
    expect(await confirm(token)).toMatchObject({ state: 'withdrawn' })
    expect(await reasons(contactId)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  }
})

test('a suppression and an archived audience refuse the email and the button, without an end of the confirmation', async () => {
  const suppressed = await signUp()
  await s.contacts.suppressContact(s.us, { contactId: suppressed.contactId, scope: 'workspace', reason: 'manual' })
  const audienceId = await s.audience()
  const archived = await signUp({ audienceId })
  await s.contacts.archiveAudience(s.us, { audienceId })
  for (const [{ confirmationId, token }, reason] of [
    [suppressed, 'suppressed_workspace'],
    [archived, 'audience_archived'],
  ] as const) {
    expect((await s.contacts.prepareConfirmation(s.us, { confirmationId })).reasons).toEqual([reason])
    expect(await describeLink(token)).toMatchObject({ state: 'refused' })
    expect(await confirm(token)).toMatchObject({ state: 'refused' })
  }
  for (const { id } of await s.suppressions(suppressed.contactId)) await s.resolve(id)
  expect(await confirm(suppressed.token)).toMatchObject({ state: 'confirmed' })
})

test('a member is not asked again', async () => {
  const { address, token } = await signUp()
  await confirm(token)
  expect((await signUp({ address })).answer).toMatchObject({ status: 'accepted', audienceMembershipActive: true })
})

test('an objection to a sign-up comes before its confirmation', async () => {
  const address = `${randomUUID()}@example.com`
  await s.contacts.upsertContact(s.us, {
    email: address,
    source: 'test',
    isLegacy: true,
    updateMask: { paths: ['is_legacy'] },
  })
  expect(await signUp({ address })).toMatchObject({ requests: 0, answer: { reasonClass: 'review_legacy_contact' } })
})

test('an erasure ends the confirmation, and its link names nobody', async () => {
  const { token, contactId } = await signUp()
  await s.erase(contactId)
  for (const shown of [await describeLink(token), await confirm(token)])
    expect(shown).toMatchObject({ state: 'gone', maskedEmail: '' })
})

test('a confirmation of another workspace is not there, and a token of another kind is refused', async () => {
  const { confirmationId, contactId } = await signUp()
  expect((await s.contacts.prepareConfirmation(s.them, { confirmationId })).reasons).toEqual(['confirmation_ended'])
  const preference = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
  for (const token of ['', 'k1.x.y', preference.preferenceUrl.split('/').at(-1)!])
    await expect(confirm(token)).rejects.toMatchObject({ reason: 'invalid_token' })
})

test('a button and a withdrawal at the same moment leave a consent that was withdrawn, or none', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => signUp()))
  await Promise.all(
    people.flatMap(({ token, contactId }, n) => {
      const leave = () => s.contacts.unsubscribeContact(s.us, { contactId, audienceId: shop.audienceId })
      return n % 2 === 0 ? [confirm(token), leave()] : [leave(), confirm(token)]
    }),
  )
  for (const { contactId, token } of people) {
    expect(await reasons(contactId)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
    const kinds = (await s.events(contactId)).map((event) => event['kind'])
    expect([
      ['granted', 'withdrawn'],
      ['granted', 'granted', 'withdrawn'],
    ]).toContainEqual(kinds)
    expect(['confirmed', 'withdrawn']).toContain((await describeLink(token)).state)
  }
})

test('sign-ups of one person at the same moment ask for one email', async () => {
  const address = `${randomUUID()}@example.com`
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => shop.ingest(shop.event({ contact: { email: address } }))),
  )
  expect(new Set(answers.map(({ reasonClass }) => reasonClass))).toEqual(new Set(['confirmation_pending']))
  const { contact } = await s.contacts.lookupContact(s.us, { email: address })
  expect((await requested()).filter((one) => one.contactId === contact!.id)).toHaveLength(1)
})
