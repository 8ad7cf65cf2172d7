import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newSource, openContacts, origin, sha256, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const audits = async (subjectId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((record) => record.subjectId === subjectId)
    .map((record) => record.action)
const setOrigins = (sourceSlug: string, allowedOrigins: string[], caller = s.us) =>
  s.contacts.replaceSubscriptionSourceOrigins(caller, { sourceSlug, allowedOrigins })
const setStatus = (sourceSlug: string, status: string, caller = s.us) =>
  s.contacts.setSourceStatus(caller, { sourceSlug, status })
const present = (credential: string) => ({ presented: { credentialSha256: sha256(credential) } })

test('origins are replaced as a whole and apply from the next event; a repeat changes nothing', async () => {
  const shop = await newSource(s)
  const other = 'https://other.example'
  expect((await setOrigins(shop.slug, [other, 'HTTPS://Other.Example:443'])).source!.allowedOrigins).toEqual([other])
  await expect(shop.ingest(shop.event())).rejects.toMatchObject({
    code: 'permission_denied',
    reason: 'source.page_origin',
  })
  const moved = shop.event({ source: { ...shop.event().source, pageOrigin: other } })
  expect(await shop.ingest(moved)).toMatchObject({ status: 'accepted' })
  await setOrigins(shop.slug, [other])
  expect(await audits(shop.id)).toEqual(['subscription_source_created', 'subscription_source_origins_replaced'])
})

test('concurrent replacements leave one complete list', async () => {
  const shop = await newSource(s)
  const lists = Array.from({ length: 8 }, (_, n) => [`https://a${n}.example`, `https://b${n}.example`])
  await Promise.all(lists.map((origins) => setOrigins(shop.slug, origins)))
  const { sources } = await s.contacts.listSubscriptionSources(s.us, {})
  expect(lists).toContainEqual(sources.find((one) => one.id === shop.id)!.allowedOrigins)
})

test.each([[[]], [['null']], [[`${origin}/`]], [['https://user@shop.example']], [[`${origin}?x=1`]]])(
  'origins %j are refused and change nothing',
  async (origins: string[]) => {
    const shop = await newSource(s)
    await expect(setOrigins(shop.slug, origins)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(await shop.ingest(shop.event())).toMatchObject({ status: 'accepted' })
  },
)

test('a rotation revokes the previous credential at once', async () => {
  const shop = await newSource(s)
  const rotated = await s.contacts.rotateSourceCredential(s.us, { sourceSlug: shop.slug })
  expect(rotated.source).toMatchObject({ id: shop.id })
  expect(rotated.credential).toMatch(/^lgs_[A-Za-z0-9_-]{43}$/)
  await expect(shop.ingest(shop.event())).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(await shop.ingest(shop.event(), 'k', present(rotated.credential))).toMatchObject({ status: 'accepted' })
  expect(await audits(shop.id)).toEqual(['subscription_source_created', 'source_credential_rotated'])
})

test('concurrent rotations leave one valid credential', async () => {
  const shop = await newSource(s)
  const rotated = await Promise.all(
    Array.from({ length: 6 }, () => s.contacts.rotateSourceCredential(s.us, { sourceSlug: shop.slug })),
  )
  const admitted = await Promise.allSettled(
    rotated.map((one) => shop.ingest(shop.event(), one.credential, present(one.credential))),
  )
  expect(admitted.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
})

test('the first credential of a source is audited as issued', async () => {
  const { source } = await s.contacts.createSubscriptionSource(s.us, {
    slug: 'late',
    displayName: 'Late',
    allowedOrigins: [origin],
    allowsAllAudiences: true,
  })
  await s.contacts.rotateSourceCredential(s.us, { sourceSlug: 'late' })
  expect(await audits(source!.id)).toEqual(['subscription_source_created', 'source_credential_issued'])
})

test('a revoked credential is refused, grants stay valid, and a repeated revocation changes nothing', async () => {
  const shop = await newSource(s)
  for (let n = 0; n < 2; n += 1) {
    expect(await s.contacts.revokeSourceCredential(s.us, { sourceSlug: shop.slug })).toMatchObject({ deleted: true })
  }
  await expect(shop.ingest(shop.event())).rejects.toMatchObject({ code: 'unauthenticated' })
  const presented = { grantedSourceId: shop.id, permissions: ['events.write'] }
  expect(await shop.ingest(shop.event(), 'k', { presented })).toMatchObject({ status: 'accepted' })
  expect(await audits(shop.id)).toEqual(['subscription_source_created', 'source_credential_revoked'])
})

test('a suspended or revoked source refuses credentials and grants until it is active again', async () => {
  const shop = await newSource(s)
  const grant = { presented: { grantedSourceId: shop.id, permissions: ['events.write'] } }
  for (const status of ['suspended', 'revoked']) {
    expect((await setStatus(shop.slug, status)).source).toMatchObject({ status })
    await setStatus(shop.slug, status)
    const refusal = { code: 'permission_denied', reason: 'source_status' }
    await expect(shop.ingest(shop.event())).rejects.toMatchObject(refusal)
    await expect(shop.ingest(shop.event(), 'k', grant)).rejects.toMatchObject(refusal)
  }
  await setStatus(shop.slug, 'active')
  expect(await shop.ingest(shop.event())).toMatchObject({ status: 'accepted' })
  expect((await audits(shop.id)).filter((action) => action === 'subscription_source_status_set')).toHaveLength(3)
  await expect(setStatus(shop.slug, 'gone')).rejects.toMatchObject({ code: 'invalid_argument', reason: 'status' })
})

test('receipts are listed in pages, newest first, each once', async () => {
  const shop = await newSource(s)
  const told: string[] = []
  for (let n = 0; n < 7; n += 1) told.unshift((await shop.ingest(shop.event())).receiptId)
  const page = (cursor?: string) =>
    s.contacts.listSourceReceipts(s.us, {
      sourceSlug: shop.slug,
      limit: 3,
      ...(cursor === undefined ? {} : { cursor }),
    })
  const listed: string[] = []
  let next: string | undefined
  do {
    const { receipts, nextCursor } = await page(next)
    expect(receipts.length).toBeLessThanOrEqual(3)
    listed.push(...receipts.map((receipt) => receipt.id))
    next = nextCursor
  } while (next !== undefined)
  expect(listed).toEqual(told)
  const [newest] = (await page()).receipts
  expect(newest).toMatchObject({
    status: 'accepted',
    audienceId: shop.audienceId,
    pageOrigin: origin,
    formId: 'footer',
  })
  for (const wrong of [{ limit: 0 }, { limit: 201 }]) {
    await expect(s.contacts.listSourceReceipts(s.us, { sourceSlug: shop.slug, ...wrong })).rejects.toMatchObject({
      reason: 'limit',
    })
  }
  await expect(page('x')).rejects.toMatchObject({ code: 'invalid_argument', reason: 'cursor' })
})

test("another tenant's source answers not_found in every operation", async () => {
  const shop = await newSource(s)
  const attempts = (sourceSlug: string) => [
    setOrigins(sourceSlug, [origin], s.them),
    setStatus(sourceSlug, 'suspended', s.them),
    s.contacts.rotateSourceCredential(s.them, { sourceSlug }),
    s.contacts.revokeSourceCredential(s.them, { sourceSlug }),
    s.contacts.listSourceReceipts(s.them, { sourceSlug }),
  ]
  const refusals = async (sourceSlug: string) =>
    (await Promise.allSettled(attempts(sourceSlug))).map((one) =>
      one.status === 'rejected' ? (one.reason as Error).message : 'done',
    )
  expect(await refusals(shop.slug)).toEqual(await refusals('no-such-source'))
  await expect(setStatus(shop.slug, 'suspended', s.them)).rejects.toMatchObject({ code: 'not_found' })
  expect(await shop.ingest(shop.event())).toMatchObject({ status: 'accepted' })
})
