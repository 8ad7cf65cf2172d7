import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AudienceSubscribedSchema, ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const subscribed = async (contactId: string) =>
  (await s.announced('audience_subscribed'))
    .map(({ payload }) => fromBinary(AudienceSubscribedSchema, payload))
    .filter((event) => event.contactId === contactId)
const granted = async (contactId: string) =>
  (await s.announced('consent_granted'))
    .map(({ payload }) => fromBinary(ConsentGrantedSchema, payload))
    .filter((event) => event.contactId === contactId)

test('consent is recorded with wording, evidence, source, actor and time, and makes the contact eligible', async () => {
  const contact = await s.contact()
  expect(await s.reasons(contact, audience)).toEqual(['consent_missing', 'not_subscribed'])
  const answer = await s.contacts.subscribeContact(s.us, {
    contactId: contact,
    audienceId: audience,
    source: 'form',
    wordingVersion: 'v3',
    evidence: { ip: '192.0.2.1' },
    formIdentifier: 'footer',
    sourceApplication: 'shop',
  })
  expect(answer.subscribed).toBe(true)
  expect(await s.events(contact)).toMatchObject([
    {
      id: answer.consentEventId,
      kind: 'granted',
      scope: 'audience',
      audience_id: audience,
      wording_version: 'v3',
      evidence: { ip: '192.0.2.1' },
      source: 'form',
      form_identifier: 'footer',
      source_application: 'shop',
      actor: 'tester',
      actor_kind: 'human',
      occurred_at: expect.any(Date),
    },
  ])
  expect(await s.reasons(contact, audience)).toEqual([])
  const announced = [{ contactId: contact, audienceId: audience, consentEventId: answer.consentEventId }]
  expect(await subscribed(contact)).toMatchObject(announced)
  expect(await granted(contact)).toMatchObject(announced)
})

test('a repeated subscribe appends its consent event and fires the trigger again, and changes nothing else', async () => {
  const contact = await s.contact()
  const [first, second] = [await s.subscribe(contact, audience), await s.subscribe(contact, audience)]
  expect(second.consentEventId).not.toBe(first.consentEventId)
  expect(await s.events(contact)).toHaveLength(2)
  expect((await subscribed(contact)).map(({ consentEventId }) => consentEventId)).toEqual([
    first.consentEventId,
    second.consentEventId,
  ])
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('a refused subscribe fires no trigger', async () => {
  const contact = await s.contact()
  await s.contacts.suppressContact(s.us, { contactId: contact, scope: 'workspace', reason: 'manual' })
  await expect(s.subscribe(contact, audience)).rejects.toMatchObject({ code: 'failed_precondition' })
  expect(await subscribed(contact)).toEqual([])
})

test('an unresolved suppression refuses a subscribe and names its scope, its reason and its id, until it is resolved', async () => {
  const contact = await s.contact()
  for (const scope of ['audience', 'workspace'] as const) {
    const { suppressionId } = await s.contacts.suppressContact(s.us, {
      contactId: contact,
      scope,
      reason: 'legal',
      ...(scope === 'audience' ? { audienceId: audience } : {}),
    })
    await expect(s.subscribe(contact, audience)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: `suppressed_${scope}`,
      message: expect.stringMatching(new RegExp(`${scope}.*legal.*${suppressionId}`)),
    })
  }
  expect(await s.events(contact)).toHaveLength(2)
  for (const { id } of await s.suppressions(contact)) await s.resolve(id)
  await s.subscribe(contact, audience)
})

test('a suppression of another audience does not refuse a subscribe', async () => {
  const contact = await s.contact()
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'audience',
    reason: 'manual',
    audienceId: await s.audience(),
  })
  await s.subscribe(contact, audience)
})

test('a platform suppression of another tenant refuses a subscribe and its id is not shown', async () => {
  const theirs = await s.contact(s.them, 'banned@example.com')
  const { suppressionId } = await s.contacts.suppressContact(s.them, {
    contactId: theirs,
    scope: 'platform',
    reason: 'legal',
  })
  const contact = await s.contact(s.us, 'Banned@example.com')
  const refused = await s.subscribe(contact, audience).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'failed_precondition',
    reason: 'suppressed_platform',
    message: expect.stringContaining('legal'),
  })
  expect((refused as Error).message).not.toContain(suppressionId)
})

test('an archived audience accepts no new subscribers', async () => {
  const archived = await s.audience()
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [archived])
  await expect(s.subscribe(await s.contact(), archived)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'audience_archived',
  })
})

test('an unknown audience answers not_found, and an unknown contact invalid_argument', async () => {
  const contact = await s.contact()
  const foreignContact = await s.contact(s.them)
  const foreignAudience = await s.audience(s.them)
  for (const id of [foreignAudience, unknownId, 'x']) {
    await expect(s.subscribe(contact, id)).rejects.toMatchObject({ code: 'not_found', reason: 'audience' })
  }
  for (const id of [foreignContact, unknownId, 'x']) {
    await expect(s.subscribe(id, audience)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'contact_id' })
  }
})

test.each([
  ['source', { source: '' }],
  ['wording_version', { wordingVersion: ' ' }],
  ['form_identifier', { formIdentifier: 'x'.repeat(501) }],
])('an invalid %s is refused with the name of the field', async (reason, part) => {
  const ask = { contactId: unknownId, audienceId: audience, source: 'form', wordingVersion: 'v1', ...part }
  await expect(s.contacts.subscribeContact(s.us, ask)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('concurrent subscribes and unsubscribes end in the state of the consent record', async () => {
  for (let round = 0; round < 5; round += 1) {
    const contact = await s.contact()
    await Promise.allSettled([
      s.subscribe(contact, audience),
      s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience }),
      s.subscribe(contact, audience),
      s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: audience }),
    ])
    const kinds = (await s.events(contact)).map((event) => event['kind'])
    expect(kinds.filter((kind) => kind === 'withdrawn')).toHaveLength(2)
    // A subscribe after the first withdrawal is refused, so the record never ends with one.
    expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
    expect(await s.suppressions(contact)).toHaveLength(1)
  }
})
