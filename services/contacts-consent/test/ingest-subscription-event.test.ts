import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { asSource, event, newSource, openContacts, origin, type ContactsStage } from './source-stage.ts'

let s: ContactsStage
let shop: Awaited<ReturnType<typeof newSource>>
beforeAll(async () => {
  s = await openContacts()
  shop = await newSource(s)
})
afterAll(() => s.close())

const contactIdOf = async (email: string, caller = s.us) =>
  (await s.contacts.lookupContact(caller, { email })).contact!.id
const receipts = (sourceId = shop.id) =>
  s.stage.query<Record<string, unknown>>('select * from contacts.source_receipts where source_id = $1 order by id', [
    sourceId,
  ])
const withdraw = (contactId: string, audienceId = shop.audienceId) =>
  s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
const resolveAll = async (contactId: string) => {
  for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
}

test('a new address becomes a contact, a member and an eligible recipient, and nothing is announced', async () => {
  const before = await s.stage.query('select 1 from contacts.outbox')
  const given = shop.event({
    contact: { email: ' New.Person@Example.com ', firstName: 'New', lastName: ' ', locale: 'de' },
  })
  const answer = await shop.ingest(given)
  expect(answer).toMatchObject({
    schemaVersion: 'service.subscription-source-result.v1',
    sourceEventId: given.sourceEventId,
    status: 'accepted',
    audienceMembershipActive: true,
    correlationId: s.us.caller.correlationId,
  })
  expect([answer.reasonClass, answer.originalStatus]).toEqual([undefined, undefined])
  const { contact } = await s.contacts.lookupContact(s.us, { email: 'new.person@example.com' })
  expect(contact).toMatchObject({ email: 'New.Person@Example.com', firstName: 'New' })
  expect(contact!.lastName).toBeUndefined()
  expect(await s.reasons(contact!.id, shop.audienceId)).toEqual([])
  expect(await s.stage.query('select 1 from contacts.outbox')).toHaveLength(before.length)
})

test('the record says what proves the consent, that the source claimed it, and by which request', async () => {
  const given = shop.event({
    source: {
      ...shop.event().source,
      pageOrigin: 'HTTPS://Shop.Example.com:443',
      pagePath: '/sale',
      popupCampaignId: randomUUID(),
      popupVersion: 4n,
      attribution: { utm_source: 'letter' },
    },
  })
  const answer = await shop.ingest(given)
  const contactId = await contactIdOf(given.contact.email)
  const [recorded] = await s.events(contactId)
  expect(recorded).toMatchObject({
    id: answer.consentEventId,
    kind: 'granted',
    scope: 'audience',
    audience_id: shop.audienceId,
    source: `subscription-source:${shop.slug}`,
    wording_version: 'footer-2026',
    form_identifier: 'footer',
    actor: shop.id,
    actor_kind: 'source',
    correlation_id: answer.correlationId,
  })
  const claim = {
    wording_id: 'footer-2026',
    wording_sha256: 'a'.repeat(64),
    privacy_policy_url: 'https://shop.example.com/privacy',
    privacy_policy_version: '7',
    form_id: 'footer',
    form_version: '3',
    page_origin: origin,
    page_path: '/sale',
    evidence_schema_version: 'app.newsletter-consent-capture.v1',
    popup_campaign_id: given.source.popupCampaignId,
    attribution: { utm_source: 'letter' },
  }
  const [kept] = await s.stage.query<{ evidence: object }>(
    'select evidence from contacts.consent_evidence where event_id = $1',
    [answer.consentEventId],
  )
  expect(kept!.evidence).toMatchObject({ ...claim, popup_version: 4, receipt_id: answer.receiptId })
  expect((await receipts()).find((receipt) => receipt['id'] === answer.receiptId)).toMatchObject({
    ...claim,
    popup_version: '4',
    contact_id: contactId,
    status: 'accepted',
  })
  const provenance = await s.stage.query('select * from contacts.contact_provenance where contact_id = $1', [contactId])
  expect(provenance).toEqual([
    expect.objectContaining({
      source: `subscription-source:${shop.slug}`,
      actor: shop.id,
      actor_kind: 'source',
      is_creation: true,
      correlation_id: answer.correlationId,
    }),
  ])
})

test('empty fields of an existing contact are filled and none is overwritten', async () => {
  const email = `${randomUUID()}@example.com`
  await s.contacts.upsertContact(s.us, {
    email,
    source: 'test',
    firstName: 'Old',
    updateMask: { paths: ['first_name'] },
  })
  await shop.ingest(shop.event({ contact: { email, firstName: 'New', lastName: 'Filled', locale: 'fr' } }))
  await shop.ingest(shop.event({ contact: { email, firstName: 'Newer', lastName: 'Again', locale: 'it' } }))
  expect((await s.contacts.lookupContact(s.us, { email })).contact).toMatchObject({
    firstName: 'Old',
    lastName: 'Filled',
  })
  expect(await s.stage.query('select locale from contacts.contacts where normalized_email = $1', [email])).toEqual([
    { locale: 'fr' },
  ])
})

test('an exact replay answers the first receipt as duplicate, with the id of this request', async () => {
  const given = shop.event({ source: { ...shop.event().source, attribution: { a: '1', b: '2' } } })
  const first = await shop.ingest(given, 'key-replayed')
  const reordered = { ...given, source: { ...given.source, attribution: { b: '2', a: '1' } } }
  const later = s.as(s.ours, { correlationId: 'another-request' })
  const again = await shop.ingest(reordered, 'key-replayed', { as: later })
  expect(again).toMatchObject({
    receiptId: first.receiptId,
    consentEventId: first.consentEventId,
    sourceEventId: given.sourceEventId,
    status: 'duplicate',
    originalStatus: 'accepted',
    audienceMembershipActive: true,
    correlationId: 'another-request',
  })
  expect(await s.events(await contactIdOf(given.contact.email))).toHaveLength(1)
})

test('another payload under a used key is a conflict, whatever differs', async () => {
  const given = shop.event()
  await shop.ingest(given, 'key-used')
  const changes = [
    { sourceEventId: randomUUID() },
    { contact: { ...given.contact, firstName: 'Eve' } },
    { capturedAt: timestampFromDate(new Date(Date.now() - 61_000)) },
    { consent: { ...given.consent, privacyPolicyVersion: '8' } },
    { source: { ...given.source, attribution: { x: 'y' } } },
    { source: { ...given.source, pagePath: '/' } },
  ]
  for (const change of changes) {
    await expect(shop.ingest({ ...given, ...change }, 'key-used')).rejects.toMatchObject({
      code: 'conflict',
      reason: 'idempotency_key',
    })
  }
})

test('the same source_event_id under another key is a duplicate when the payload is equal, else a conflict', async () => {
  const given = shop.event()
  const first = await shop.ingest(given)
  expect(await shop.ingest(given)).toMatchObject({ status: 'duplicate', receiptId: first.receiptId })
  await expect(shop.ingest({ ...given, contact: { email: 'other@example.com' } })).rejects.toMatchObject({
    code: 'conflict',
    reason: 'source_event_id',
  })
})

test('keys belong to their source: another source uses the same key and event id for its own', async () => {
  const other = await newSource(s, { allowedAudienceIds: [shop.audienceId] })
  const given = shop.event()
  const [one, two] = [await shop.ingest(given, 'key-shared'), await other.ingest(given, 'key-shared')]
  expect([one.status, two.status]).toEqual(['accepted', 'accepted'])
  expect(one.receiptId).not.toBe(two.receiptId)
})

test('of a hundred copies at once exactly one is accepted, and one receipt, consent and provenance is kept', async () => {
  const given = shop.event()
  const answers = await Promise.all(Array.from({ length: 100 }, () => shop.ingest(given, 'key-crowd')))
  expect(answers.filter((answer) => answer.status === 'accepted')).toHaveLength(1)
  expect(answers.filter((answer) => answer.status === 'duplicate')).toHaveLength(99)
  expect(new Set(answers.map((answer) => answer.receiptId)).size).toBe(1)
  const contactId = await contactIdOf(given.contact.email)
  expect(await s.events(contactId)).toHaveLength(1)
  expect(
    await s.stage.query('select 1 from contacts.contact_provenance where contact_id = $1', [contactId]),
  ).toHaveLength(1)
})

test('of a hundred payloads under one key at once exactly one is taken, by two replicas too', async () => {
  const second = await s.boot()
  const { ContactsConsent } = await import('@lettergate/contracts/contacts/v1/contacts')
  const replica = await s.stage.client(ContactsConsent, second.rpcPort)
  const settled = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => {
      const request = { sourceSlug: shop.slug, idempotencyKey: 'key-raced', presented: shop.presented, ...shop.event() }
      return (n % 2 === 0 ? s.contacts : replica).ingestSubscriptionEvent(asSource(s.us), request)
    }),
  )
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  for (const one of settled) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict', reason: 'idempotency_key' })
  }
  expect((await receipts()).filter((receipt) => receipt['idempotency_key'] === 'key-raced')).toHaveLength(1)
})

test('an audience or a page origin outside what the source allows is refused and uses up no key', async () => {
  const elsewhere = await s.audience()
  const theirs = await s.audience(s.them)
  const given = shop.event()
  for (const destinationAudienceId of [elsewhere, theirs, randomUUID()]) {
    await expect(shop.ingest({ ...given, destinationAudienceId }, 'key-kept')).rejects.toMatchObject({
      code: 'permission_denied',
      reason: 'destination_audience_id',
    })
  }
  for (const pageOrigin of [
    'https://evil.example.com',
    'http://shop.example.com',
    'https://shop.example.com:8443',
    `${origin}/`,
    `${origin}/path`,
    'null',
  ]) {
    await expect(shop.ingest({ ...given, source: { ...given.source, pageOrigin } }, 'key-kept')).rejects.toMatchObject({
      code: 'permission_denied',
      reason: 'source.page_origin',
    })
  }
  await expect(s.contacts.lookupContact(s.us, { email: given.contact.email })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await shop.ingest(given, 'key-kept')).toMatchObject({ status: 'accepted' })
})

test('a source of all audiences fills any live one of its workspace, later ones too, and no foreign one', async () => {
  const every = await newSource(s, { allowsAllAudiences: true })
  const later = await s.audience()
  expect(await every.ingest(event(later))).toMatchObject({ status: 'accepted' })
  await expect(every.ingest(event(await s.audience(s.them)))).rejects.toMatchObject({ code: 'permission_denied' })
})

test('an allowed audience that was archived takes no events, but a replay still finds its receipt', async () => {
  const closing = await newSource(s)
  const given = closing.event()
  await closing.ingest(given, 'before')
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [closing.audienceId])
  await expect(closing.ingest(closing.event())).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'destination_audience_id',
  })
  expect(await closing.ingest(given, 'before')).toMatchObject({ status: 'duplicate' })
})

test('a suppressed person is recorded and not subscribed, and the widest suppression is told', async () => {
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

test('an address that another tenant had suppressed for the platform is suppressed here as well', async () => {
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

test('a consent from before a withdrawal is left for review, and a later one stands by itself', async () => {
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

test('a consent from before a withdrawal from the whole workspace is left for review, of a pair never met too', async () => {
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

test('a late consent puts a membership under review that a newer consent had made, and leaves it active', async () => {
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

test('neighbours of a bad event are taken, and each caller is told of its own', async () => {
  const good = Array.from({ length: 20 }, () => shop.ingest(shop.event()))
  const bad = [
    shop.ingest(shop.event({ destinationAudienceId: randomUUID() })),
    shop.ingest(shop.event(), 'k', { presented: { credentialSha256: '0'.repeat(64) } }),
    shop.ingest(shop.event({ source: { ...shop.event().source, pageOrigin: 'https://x.test' } })),
  ]
  const refusals = await Promise.allSettled(bad)
  expect(
    refusals.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.status)),
  ).toEqual(['permission_denied', 'unauthenticated', 'permission_denied'])
  for (const answer of await Promise.all(good)) expect(answer.status).toBe('accepted')
})

test('one address through many keys at once is one contact with a receipt for each', async () => {
  const email = `${randomUUID()}@example.com`
  const answers = await Promise.all(Array.from({ length: 12 }, () => shop.ingest(shop.event({ contact: { email } }))))
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 12 }, () => 'accepted'))
  const contactId = await contactIdOf(email)
  expect(await s.events(contactId)).toHaveLength(12)
  expect(await s.stage.query('select 1 from contacts.memberships where contact_id = $1', [contactId])).toHaveLength(1)
})

test('what is wrong with a payload is named', async () => {
  const given = shop.event()
  const wrong: [string, object][] = [
    ['schema_version', { schemaVersion: 'v0' }],
    ['source_event_id', { sourceEventId: 'x' }],
    ['destination_audience_id', { destinationAudienceId: 'x' }],
    ['email', { contact: { email: 'nobody' } }],
    ['contact.first_name', { contact: { ...given.contact, firstName: 'x'.repeat(161) } }],
    ['contact.locale', { contact: { ...given.contact, locale: 'x'.repeat(41) } }],
    ['consent_granted', { consentGranted: false }],
    ['captured_at', { capturedAt: timestampFromDate(new Date(Date.now() + 301_000)) }],
    ['consent.wording_sha256', { consent: { ...given.consent, wordingSha256: 'A'.repeat(64) } }],
    ['consent.wording_id', { consent: { ...given.consent, wordingId: '' } }],
    ['consent.privacy_policy_url', { consent: { ...given.consent, privacyPolicyUrl: 'javascript:x' } }],
    ['source.form_id', { source: { ...given.source, formId: 'x'.repeat(161) } }],
    ['source.popup_version', { source: { ...given.source, popupVersion: 0n } }],
    ['source.popup_campaign_id', { source: { ...given.source, popupCampaignId: 'x' } }],
    ['source.attribution', { source: { ...given.source, attribution: { x: 'x'.repeat(20_000) } } }],
    ['source.attribution', { source: { ...given.source, attribution: { x: '\u0000' } } }],
    ['source.page_path', { source: { ...given.source, pagePath: '/\u0000' } }],
    ['source.evidence_schema_version', { source: { ...given.source, evidenceSchemaVersion: 'v0' } }],
  ]
  for (const [reason, change] of wrong) {
    await expect(shop.ingest({ ...given, ...change })).rejects.toMatchObject({ code: 'invalid_argument', reason })
  }
  await expect(shop.ingest(given, '')).rejects.toMatchObject({ reason: 'Idempotency-Key' })
  await expect(shop.ingest(given, 'k'.repeat(201))).rejects.toMatchObject({ reason: 'Idempotency-Key' })
  await expect(
    shop.ingest({ ...given, consentGranted: false }, 'k', { presented: { credentialSha256: '0'.repeat(64) } }),
  ).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('when a contact is deleted its receipts stay and name nobody, and a replay does not bring it back', async () => {
  const given = shop.event({ source: { ...shop.event().source, pagePath: '/me', attribution: { who: 'me' } } })
  const answer = await shop.ingest(given, 'key-gone')
  await s.stage.query('delete from contacts.contacts where id = $1', [await contactIdOf(given.contact.email)])
  expect((await receipts()).find((receipt) => receipt['id'] === answer.receiptId)).toMatchObject({
    contact_id: null,
    payload_sha256: null,
    page_path: null,
    attribution: null,
    status: 'accepted',
    consent_event_id: answer.consentEventId,
  })
  await expect(shop.ingest(given, 'key-gone')).rejects.toMatchObject({ code: 'conflict' })
  await expect(s.contacts.lookupContact(s.us, { email: given.contact.email })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('events are counted by what became of them', async () => {
  const { metrics } = s.app.service
  const counted = async () =>
    Object.fromEntries(
      (await metrics.getSingleMetric('lettergate_source_events_total')!.get()).values.map(({ labels, value }) => [
        labels['status'],
        value,
      ]),
    )
  const before = await counted()
  await shop.ingest(shop.event())
  await expect(shop.ingest(shop.event({ consentGranted: false }))).rejects.toThrow()
  const after = await counted()
  expect([after['accepted']! - before['accepted']!, after['refused']! - before['refused']!]).toEqual([1, 1])
})
