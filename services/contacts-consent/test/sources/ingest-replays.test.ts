import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { asSource, newSource, openContacts, payloadSha256, type ContactsStage } from '../source-stage.ts'

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

test('a different payload under a used key is a conflict, for every field', async () => {
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

test('the hash of the payload decides, not its parsed fields: another hash of the same fields is another payload', async () => {
  const given = shop.event()
  const way = { sourceSlug: shop.slug, idempotencyKey: 'key-hashed', presented: shop.presented, ...given }
  const hand = (hash: string) => s.contacts.ingestSubscriptionEvent(asSource(s.us), { ...way, payloadSha256: hash })
  expect(await hand('a'.repeat(64))).toMatchObject({ status: 'accepted' })
  expect(await hand('a'.repeat(64))).toMatchObject({ status: 'duplicate' })
  await expect(hand('b'.repeat(64))).rejects.toMatchObject({ code: 'conflict', reason: 'idempotency_key' })
})

test.each(['', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64), `${'a'.repeat(64)}\n`])(
  'an event with the payload hash %j is refused for a retry and writes nothing',
  async (hash) => {
    const given = shop.event()
    const way = { sourceSlug: shop.slug, idempotencyKey: randomUUID(), presented: shop.presented, ...given }
    await expect(
      s.contacts.ingestSubscriptionEvent(asSource(s.us), { ...way, payloadSha256: hash }),
    ).rejects.toMatchObject({ code: 'unavailable', reason: 'payload_sha256' })
    expect((await receipts()).filter((receipt) => receipt['source_event_id'] === given.sourceEventId)).toEqual([])
  },
)

test('keys belong to their source: another source can use the same key and event id', async () => {
  const other = await newSource(s, { allowedAudienceIds: [shop.audienceId] })
  const given = shop.event()
  const [one, two] = [await shop.ingest(given, 'key-shared'), await other.ingest(given, 'key-shared')]
  expect([one.status, two.status]).toEqual(['accepted', 'accepted'])
  expect(one.receiptId).not.toBe(two.receiptId)
})

test('a hundred concurrent copies are accepted once and leave one receipt, one consent and one provenance entry', async () => {
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

test('a hundred concurrent payloads with one key are accepted once, also with two replicas', async () => {
  const second = await s.boot()
  const { ContactsConsent } = await import('@lettergate/contracts/contacts/v1/contacts')
  const replica = await s.stage.client(ContactsConsent, second.rpcPort)
  const settled = await Promise.allSettled(
    Array.from({ length: 100 }, (_, n) => {
      const payload = shop.event()
      const hash = payloadSha256(payload)
      const way = { sourceSlug: shop.slug, idempotencyKey: 'key-raced', presented: shop.presented }
      const request = { ...way, payloadSha256: hash, ...payload }
      return (n % 2 === 0 ? s.contacts : replica).ingestSubscriptionEvent(asSource(s.us), request)
    }),
  )
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  for (const one of settled) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict', reason: 'idempotency_key' })
  }
  expect((await receipts()).filter((receipt) => receipt['idempotency_key'] === 'key-raced')).toHaveLength(1)
})

test('other events of the batch with a bad event are recorded, and each caller gets its own answer', async () => {
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

test('concurrent events of one address with many keys create one contact and a receipt for each key', async () => {
  const email = `${randomUUID()}@example.com`
  const answers = await Promise.all(Array.from({ length: 12 }, () => shop.ingest(shop.event({ contact: { email } }))))
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 12 }, () => 'accepted'))
  const contactId = await contactIdOf(email)
  expect(await s.events(contactId)).toHaveLength(12)
  expect(await s.stage.query('select 1 from contacts.memberships where contact_id = $1', [contactId])).toHaveLength(1)
})
