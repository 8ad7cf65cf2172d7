import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { nobody, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

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
  const announced = (await s.announced('audience_subscribed')).map(({ payload }) =>
    fromBinary(AudienceSubscribedSchema, payload),
  )
  expect(announced).toMatchObject([{ contactId: contact, audienceId: audience, consentEventId: answer.consentEventId }])
})

test('a repeat appends its own consent and changes nothing else', async () => {
  const contact = await s.contact()
  const [first, second] = [await s.subscribe(contact, audience), await s.subscribe(contact, audience)]
  expect(second.consentEventId).not.toBe(first.consentEventId)
  expect(await s.events(contact)).toHaveLength(2)
  expect(await s.reasons(contact, audience)).toEqual([])
})

test('an unresolved suppression blocks it, naming scope, reason and what to resolve, until it is resolved', async () => {
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

test('a suppression of another audience does not block it', async () => {
  const contact = await s.contact()
  await s.contacts.suppressContact(s.us, {
    contactId: contact,
    scope: 'audience',
    reason: 'manual',
    audienceId: await s.audience(),
  })
  await s.subscribe(contact, audience)
})

test('a platform suppression of another tenant blocks it without telling an id', async () => {
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

test('an archived audience takes no new subscribers', async () => {
  const archived = await s.audience()
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [archived])
  await expect(s.subscribe(await s.contact(), archived)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'audience_archived',
  })
})

test('what this workspace does not have is missing: the audience of the path, the contact of the body', async () => {
  const contact = await s.contact()
  const foreignContact = await s.contact(s.them)
  const foreignAudience = await s.audience(s.them)
  for (const id of [foreignAudience, nobody, 'x']) {
    await expect(s.subscribe(contact, id)).rejects.toMatchObject({ code: 'not_found', reason: 'audience' })
  }
  for (const id of [foreignContact, nobody, 'x']) {
    await expect(s.subscribe(id, audience)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'contact_id' })
  }
})

test.each([
  ['source', { source: '' }],
  ['wording_version', { wordingVersion: ' ' }],
  ['form_identifier', { formIdentifier: 'x'.repeat(501) }],
])('a bad %s is refused and named', async (reason, part) => {
  const ask = { contactId: nobody, audienceId: audience, source: 'form', wordingVersion: 'v1', ...part }
  await expect(s.contacts.subscribeContact(s.us, ask)).rejects.toMatchObject({ code: 'invalid_argument', reason })
})

test('subscribes and unsubscribes that race end where the consent record says', async () => {
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
