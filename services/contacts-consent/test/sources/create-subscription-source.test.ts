import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { openContacts, origin, sha256, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let counter = 0
const request = (more: object = {}) => ({
  slug: `form-${(counter += 1)}`,
  displayName: 'A form',
  allowedOrigins: [origin],
  allowedAudienceIds: [audience],
  ...more,
})
const create = (more: object = {}, caller = s.us) => s.contacts.createSubscriptionSource(caller, request(more))
const createWithCredential = (more: object = {}, caller = s.us) =>
  s.contacts.createSubscriptionSourceWithCredential(caller, request(more))
const list = async (caller = s.us) => (await s.contacts.listSubscriptionSources(caller, {})).sources
const audits = async (subjectId: string) => {
  const { AuditRecordedSchema } = await import('@lettergate/contracts/events/v1/events')
  const { fromBinary } = await import('@bufbuild/protobuf')
  return (await s.announced('audit_recorded'))
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter((record) => record.subjectId === subjectId)
}

test('a source is created active, with normalized rules and without a credential', async () => {
  const { source } = await create({
    slug: 'shop',
    allowedOrigins: ['HTTPS://Shop.Example.com:443', 'https://bücher.example', 'https://shop.example.com'],
    allowedAudienceIds: [audience, audience],
  })
  expect(source).toMatchObject({
    slug: 'shop',
    displayName: 'A form',
    status: 'active',
    allowsAllAudiences: false,
    allowedAudienceIds: [audience],
    allowedOrigins: ['https://shop.example.com', 'https://xn--bcher-kva.example'],
  })
  expect((await list()).find((one) => one.id === source!.id)).toEqual(source)
  expect(await s.stage.query('select 1 from contacts.source_credentials where source_id = $1', [source!.id])).toEqual(
    [],
  )
  expect(await audits(source!.id)).toEqual([
    expect.objectContaining({
      action: 'subscription_source_created',
      subjectType: 'subscription_source',
      actor: 'tester',
    }),
  ])
})

test('a credential has 256 random bits, is shown once, and only its hash is stored', async () => {
  const { source, credential } = await createWithCredential()
  expect(credential).toMatch(/^lgs_[A-Za-z0-9_-]{43}$/)
  const kept = await s.stage.query('select * from contacts.source_credentials where source_id = $1', [source!.id])
  expect(kept).toEqual([expect.objectContaining({ credential_sha256: sha256(credential), revoked_at: null })])
  expect(JSON.stringify(kept)).not.toContain(credential.slice(4))
  expect(JSON.stringify(await list())).not.toContain('lgs_')
  const announced = await s.announced('audit_recorded')
  for (const { payload } of announced) expect(payload.toString('latin1')).not.toContain(credential.slice(4))
})

test('a source of all audiences lists no audience', async () => {
  expect((await create({ allowsAllAudiences: true, allowedAudienceIds: [] })).source).toMatchObject({
    allowsAllAudiences: true,
    allowedAudienceIds: [],
  })
})

test('an invalid source is refused with the name of the field', async () => {
  const archived = await s.audience()
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [archived])
  const theirs = await s.audience(s.them)
  const wrong: [string, object][] = [
    ['slug', { slug: 'Not A Slug' }],
    ['slug', { slug: '' }],
    ['display_name', { displayName: ' ' }],
    ['display_name', { displayName: 'x'.repeat(161) }],
    ['allowed_origins', { allowedOrigins: [] }],
    ['allowed_origins[0]', { allowedOrigins: ['null'] }],
    ['allowed_origins[1]', { allowedOrigins: [origin, `${origin}/`] }],
    ['allowed_audience_ids', { allowedAudienceIds: [] }],
    ['allowed_audience_ids', { allowedAudienceIds: [], allowsAllAudiences: false }],
    ['allowed_audience_ids', { allowsAllAudiences: true }],
    ['allowed_audience_ids[1]', { allowedAudienceIds: [audience, 'x'] }],
    ['allowed_audience_ids[1]', { allowedAudienceIds: [audience, randomUUID()] }],
    ['allowed_audience_ids[0]', { allowedAudienceIds: [theirs] }],
    ['allowed_audience_ids[0]', { allowedAudienceIds: [archived] }],
  ]
  const before = await list()
  for (const [reason, more] of wrong) {
    await expect(create(more)).rejects.toMatchObject({ code: 'invalid_argument', reason })
    await expect(createWithCredential(more)).rejects.toMatchObject({ code: 'invalid_argument', reason })
  }
  expect(await list()).toEqual(before)
})

test('a slug is unique in a workspace, also with concurrent requests; another workspace can use it', async () => {
  await create({ slug: 'taken' })
  await expect(create({ slug: 'taken' })).rejects.toMatchObject({ code: 'conflict', reason: 'slug' })
  await expect(createWithCredential({ slug: 'taken' })).rejects.toMatchObject({ code: 'conflict', reason: 'slug' })
  const theirs = await s.audience(s.them)
  await create({ slug: 'taken', allowedAudienceIds: [theirs] }, s.them)
  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => createWithCredential({ slug: 'raced' })))
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
})

test('the list has exactly the sources of the workspace, by slug', async () => {
  const mine = (await list()).map((source) => source.slug)
  expect(mine).toEqual([...mine].sort())
  expect((await list(s.them)).map((source) => source.slug)).toEqual(['taken'])
})
