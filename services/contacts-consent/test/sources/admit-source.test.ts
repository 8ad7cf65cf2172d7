import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { asSource, event, newSource, openContacts, payloadSha256, sha256, type ContactsStage } from '../source-stage.ts'

let s: ContactsStage
let ours: Awaited<ReturnType<typeof newSource>>
let sibling: typeof ours
let theirs: typeof ours
beforeAll(async () => {
  s = await openContacts()
  ours = await newSource(s)
  sibling = await newSource(s)
  theirs = await newSource(s, { caller: s.them })
})
afterAll(() => s.close())

const everything = ['events.write', 'audiences.read']
const grant = (grantedSourceId: string, permissions = everything) => ({ grantedSourceId, permissions })
const nowhere = () => asSource(s.stage.caller({ workspaceId: null, organization: 'acme', workspace: 'none' }))

/** The three operations of a source. Each must give the same answer. */
const attempts = (presented: object, sourceSlug = ours.slug, caller = asSource(s.us)) => ({
  admit: (permission = 'events.write') => s.contacts.admitSource(caller, { sourceSlug, presented, permission }),
  audiences: () => s.contacts.listSubscriptionSourceAudiences(caller, { sourceSlug, presented }),
  ingest: (payload = event(ours.audienceId)) =>
    s.contacts.ingestSubscriptionEvent(caller, {
      sourceSlug,
      presented,
      idempotencyKey: randomUUID(),
      payloadSha256: payloadSha256(payload),
      ...payload,
    }),
})

test('a static credential and a full grant are accepted by every operation', async () => {
  for (const presented of [ours.presented, grant(ours.id)]) {
    const way = attempts(presented)
    expect(await way.admit('events.write')).toMatchObject({ sourceId: ours.id })
    expect(await way.admit('audiences.read')).toMatchObject({ sourceId: ours.id })
    expect(await way.audiences()).toMatchObject({ sourceId: ours.id })
    expect(await way.ingest()).toMatchObject({ status: 'accepted' })
  }
})

test('refusals have a fixed order: 401, then 404, then 403, before any problem of the payload', async () => {
  const unknown = { credentialSha256: sha256('lgs_unknown') }
  const refused: [string, ReturnType<typeof attempts>][] = [
    ['unauthenticated', attempts({})],
    ['unauthenticated', attempts(unknown)],
    ['unauthenticated', attempts({ credentialSha256: ours.credential })],
    ['unauthenticated', attempts(unknown, ours.slug, nowhere())],
    ['not_found', attempts(ours.presented, ours.slug, nowhere())],
    ['not_found', attempts(grant(ours.id), ours.slug, nowhere())],
    ['not_found', attempts(theirs.presented)],
    ['not_found', attempts(theirs.presented, theirs.slug)],
    ['not_found', attempts(grant(theirs.id))],
    ['permission_denied', attempts(sibling.presented)],
    ['permission_denied', attempts(grant(sibling.id))],
    ['permission_denied', attempts(ours.presented, 'no-such-source')],
    ['permission_denied', attempts(grant(randomUUID()))],
    ['permission_denied', attempts(grant('no-id'))],
    ['permission_denied', attempts(grant(ours.id, []))],
  ]
  const wrong = event(ours.audienceId, { contact: { email: 'nobody' } })
  for (const [code, way] of refused) {
    const told = await Promise.allSettled([way.admit(), way.audiences(), way.ingest(), way.ingest(wrong)])
    expect(told.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : 'let in'))).toEqual(
      told.map(() => code),
    )
  }
})

test('an unknown workspace and another tenant’s workspace have the same answer', async () => {
  const words = async (way: ReturnType<typeof attempts>) =>
    (await Promise.allSettled([way.admit(), way.ingest()])).map((one) =>
      one.status === 'rejected' ? String(one.reason) : '',
    )
  expect(await words(attempts(theirs.presented))).toEqual(await words(attempts(theirs.presented, 'x', nowhere())))
})

test('a grant allows only its permissions', async () => {
  const writer = attempts(grant(ours.id, ['events.write']))
  await writer.ingest()
  await expect(writer.audiences()).rejects.toMatchObject({ code: 'permission_denied', reason: 'permission' })
  await expect(writer.admit('audiences.read')).rejects.toMatchObject({ code: 'permission_denied' })
  const reader = attempts(grant(ours.id, ['audiences.read']))
  await reader.audiences()
  await expect(reader.ingest()).rejects.toMatchObject({ code: 'permission_denied', reason: 'permission' })
  await expect(writer.admit('everything')).rejects.toMatchObject({ code: 'invalid_argument', reason: 'permission' })
})

test('a source sees only the unarchived audiences that it may fill', async () => {
  const every = await newSource(s, { allowsAllAudiences: true })
  const two = [await s.audience(), await s.audience()]
  const some = await newSource(s, { allowedAudienceIds: two })
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [two[1]])
  const seen = async (source: typeof ours) => {
    const listed = await attempts(source.presented, source.slug).audiences()
    expect(listed.schemaVersion).toBe('service.subscription-source-audiences.v1')
    return listed.audiences.map((audience) => audience.id)
  }
  expect(await seen(some)).toEqual([two[0]])
  const live = await s.stage.query<{ id: string }>(
    'select id from contacts.audiences where workspace_id = $1 and archived_at is null order by name, id',
    [s.ours],
  )
  expect(await seen(every)).toEqual(live.map((audience) => audience.id))
})
