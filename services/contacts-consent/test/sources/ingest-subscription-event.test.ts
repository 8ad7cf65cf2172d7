import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { event, newSource, openContacts, origin, type ContactsStage } from '../source-stage.ts'

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

test('a new address becomes a contact, a member and an eligible recipient, and only the consent is announced', async () => {
  const published = () => s.stage.query<{ event: string }>('select event from contacts.outbox order by id')
  const before = await published()
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
  expect((await published()).slice(before.length)).toEqual([{ event: 'consent_granted' }])
})

test('the consent event has the proof of the consent, the source that claimed it and the id of the request', async () => {
  const given = shop.event({
    source: {
      ...shop.event().source,
      pageOrigin: 'HTTPS://Shop.Example.com:443',
      pagePath: '/sale',
      popupCampaignId: randomUUID(),
      popupVersion: 4n,
      attribution: { utm_source: 'email' },
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
    attribution: { utm_source: 'email' },
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

test('an event fills empty fields of an existing contact and overwrites none', async () => {
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

test('an audience or a page origin that the source does not allow is refused, and the key can be used again', async () => {
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

test('a source of all audiences can fill every unarchived audience of its workspace, also later ones, and no foreign one', async () => {
  const every = await newSource(s, { allowsAllAudiences: true })
  const later = await s.audience()
  expect(await every.ingest(event(later))).toMatchObject({ status: 'accepted' })
  await expect(every.ingest(event(await s.audience(s.them)))).rejects.toMatchObject({ code: 'permission_denied' })
})

test('an archived audience accepts no new events, but a replay still answers its receipt', async () => {
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

test('an invalid payload is refused with the name of the field', async () => {
  const given = shop.event()
  const wrong: [string, object][] = [
    ['schema_version', { schemaVersion: 'v0' }],
    ['source_event_id', { sourceEventId: 'x' }],
    ['destination_audience_id', { destinationAudienceId: 'x' }],
    ['email', { contact: { email: 'nobody' } }],
    ['contact.first_name', { contact: { ...given.contact, firstName: 'x'.repeat(161) } }],
    ['contact.locale', { contact: { ...given.contact, locale: 'x'.repeat(41) } }],
    ['consent_granted', { consentGranted: false }],
    ['captured_at', { capturedAt: timestampFromDate(new Date(Date.now() + 600_000)) }],
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

test('receipts of a deleted contact stay without personal data, and a replay does not create the contact again', async () => {
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

test('the metric counts events by their outcome', async () => {
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
