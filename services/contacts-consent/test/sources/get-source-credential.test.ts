import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newSource, openContacts, origin, sha256, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const read = async (sourceSlug: string) => (await s.contacts.getSourceCredential(s.us, { sourceSlug })).credential
const as = (actor: string): ContactsStage['us'] => ({ ...s.us, caller: { ...s.us.caller, actor } })

test('a source with a credential answers its moment and issuer, and no part of it', async () => {
  const before = Date.now()
  const { slug: sourceSlug, credential } = await newSource(s, { caller: as('ada') })
  const answer = await s.contacts.getSourceCredential(s.us, { sourceSlug })
  expect(answer.credential).toMatchObject({ createdBy: 'ada' })
  const at = timestampDate(answer.credential!.createdAt!).getTime()
  expect(at).toBeGreaterThanOrEqual(before)
  expect(at).toBeLessThanOrEqual(Date.now())
  const told = JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  for (const secret of [credential.slice(4, 12), sha256(credential).slice(0, 8)]) expect(told).not.toContain(secret)
})

test('a rotation answers the new issuer and a later moment, and a revocation answers none', async () => {
  const { slug: sourceSlug } = await newSource(s, { caller: as('ada') })
  const first = await read(sourceSlug)
  await s.contacts.rotateSourceCredential(as('ben'), { sourceSlug })
  const second = await read(sourceSlug)
  expect(second).toMatchObject({ createdBy: 'ben' })
  expect(timestampDate(second!.createdAt!).getTime()).toBeGreaterThan(timestampDate(first!.createdAt!).getTime())
  await s.contacts.revokeSourceCredential(as('ada'), { sourceSlug })
  expect(await read(sourceSlug)).toBeUndefined()
  await s.contacts.rotateSourceCredential(as('eve'), { sourceSlug })
  expect(await read(sourceSlug)).toMatchObject({ createdBy: 'eve' })
})

test('a source that never had a credential answers none', async () => {
  const slug = 'granted'
  const source = { slug, displayName: 'Granted', allowedOrigins: [origin], allowsAllAudiences: true }
  await s.contacts.createSubscriptionSource(s.us, source)
  expect(await read(slug)).toBeUndefined()
})

test('a suspended or revoked source still answers the credential that it accepts once it is active', async () => {
  const { slug: sourceSlug } = await newSource(s)
  const before = await read(sourceSlug)
  expect(before).toBeDefined()
  for (const status of ['suspended', 'revoked']) {
    await s.contacts.setSourceStatus(s.us, { sourceSlug, status })
    expect(await read(sourceSlug)).toEqual(before)
  }
})

test('an unknown source and one of another workspace are not there, with the same answer', async () => {
  const { slug } = await newSource(s)
  const refusal = (sourceSlug: string) =>
    s.contacts.getSourceCredential(s.them, { sourceSlug }).then(
      () => null,
      ({ code, reason, message }: { code: string; reason: string; message: string }) => ({ code, reason, message }),
    )
  expect(await refusal(slug)).toMatchObject({ code: 'not_found' })
  expect(await refusal(slug)).toEqual(await refusal('no-such-source'))
})
