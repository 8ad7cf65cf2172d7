import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { cursorAfter } from '@lettergate/database/page'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
let ada: string
let bob: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
  ada = await s.contact(s.us, 'ada@b.test')
  bob = await s.contact(s.us, 'bob@c.test')
  await s.subscribe(ada, audience)
  await s.subscribe(bob, audience)
  await s.contacts.unsubscribeContact(s.us, { contactId: ada, audienceId: audience })
  const held = { contactId: bob, scope: 'workspace', reason: 'manual', evidence: { ticket: 4 } }
  const { suppressionId } = await s.contacts.suppressContact(s.us, held)
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'a mistake' })
  await s.contacts.suppressContact(s.us, { contactId: bob, scope: 'platform', reason: 'legal' })
  const foreign = await s.contact(s.them, 'ada@b.test')
  await s.contacts.suppressContact(s.them, { contactId: foreign, scope: 'workspace', reason: 'manual' })
})
afterAll(() => s.close())

describe('suppressions', () => {
  type Filter = Parameters<ContactsStage['contacts']['listSuppressions']>[1]
  const found = async (filter: Filter) =>
    (await s.contacts.listSuppressions(s.us, filter)).suppressions.map(
      (one) => `${one.email} ${one.scope} ${one.reason}`,
    )
  const legal = 'bob@c.test platform legal'
  const manual = 'bob@c.test workspace manual'
  const unsubscribe = 'ada@b.test audience unsubscribe'

  test.each<[Filter, string[]]>([
    [{}, [legal, manual, unsubscribe]],
    [{ scope: 'audience' }, [unsubscribe]],
    [{ reason: 'manual' }, [manual]],
    [{ reason: 'hard_bounce' }, []],
    [{ state: 'unresolved' }, [legal, unsubscribe]],
    [{ state: 'resolved' }, [manual]],
    [{ search: 'AD' }, [unsubscribe]],
    [{ search: '@c.test' }, [legal, manual]],
    [{ search: '@c.test', state: 'unresolved' }, [legal]],
    [{ contactId: unknownId }, []],
  ])('%j finds %j, newest first', async (filter, wanted) => {
    expect(await found(filter)).toEqual(wanted)
  })

  test('answer all fields, and with a contact filter only its suppressions', async () => {
    const { suppressions } = await s.contacts.listSuppressions(s.us, { contactId: bob })
    expect(suppressions).toMatchObject([
      { scope: 'platform', reason: 'legal', source: 'api', contactId: bob },
      { evidence: { ticket: 4 }, resolutionReason: 'a mistake', resolvedBy: expect.any(String) },
    ])
    expect(suppressions[0]!.resolvedAt).toBeUndefined()
    const [standing] = (await s.contacts.listSuppressions(s.us, { contactId: ada })).suppressions
    expect(standing).toMatchObject({ audienceId: audience, audienceName: 'Monthly' })
    expect((await s.contacts.listSuppressions(s.them, { contactId: ada })).suppressions).toEqual([])
  })

  test('are found by address, also behind thousands of newer ones', async () => {
    const crowd = await s.contact(s.us, 'crowd@z.test')
    await s.stage.query(
      `insert into contacts.suppressions (workspace_id, id, contact_id, scope, reason, source, actor, resolved_at, resolved_by, resolution_reason)
       select $1, uuidv7(), $2, 'workspace', 'other', 'test', 'test', now(), 'test', 'test' from generate_series(1, 1100)`,
      [s.ours, crowd],
    )
    expect(await found({ search: 'ada' })).toEqual([unsubscribe])
    expect(await found({ search: '@c.test' })).toEqual([legal, manual])
    expect(await found({ search: 'bob', state: 'resolved' })).toEqual([manual])
    expect(await found({ search: 'nobody' })).toEqual([])
    expect(await found({ search: 'crowd', limit: 200 })).toHaveLength(200)
    await s.stage.query('delete from contacts.suppressions where contact_id = $1', [crowd])
  })

  test('come in pages', async () => {
    const first = await s.contacts.listSuppressions(s.us, { limit: 2 })
    const second = await s.contacts.listSuppressions(s.us, { limit: 2, cursor: first.nextCursor! })
    expect([first, second].map((page) => page.suppressions.map((one) => one.reason))).toEqual([
      ['legal', 'manual'],
      ['unsubscribe'],
    ])
    expect(second.nextCursor).toBeUndefined()
  })

  test.each<[string, Filter]>([
    ['scope', { scope: 'world' }],
    ['reason', { reason: 'because' }],
    ['state', { state: 'gone' }],
    ['contact_id', { contactId: 'x' }],
    ['search', { search: '' }],
    ['limit', { limit: 201 }],
    ['cursor', { cursor: cursorAfter('contacts', unknownId) }],
  ])('an invalid %s is refused with the name of the field', async (reason, filter) => {
    await expect(s.contacts.listSuppressions(s.us, filter)).rejects.toMatchObject({ code: 'invalid_argument', reason })
  })
})

describe('the consent record', () => {
  type Filter = Parameters<ContactsStage['contacts']['listConsentEvents']>[1]
  const found = async (filter: Filter) =>
    (await s.contacts.listConsentEvents(s.us, filter)).consentEvents.map((one) => `${one.email?.[0]} ${one.kind}`)
  const all = ['b suppressed', 'b resolved', 'b suppressed', 'a withdrawn', 'b granted', 'a granted']

  test('is filtered by contact, audience and kind, newest first', async () => {
    expect(await found({})).toEqual(all)
    expect(await found({ contactId: ada })).toEqual(['a withdrawn', 'a granted'])
    expect(await found({ audienceId: audience })).toEqual(['a withdrawn', 'b granted', 'a granted'])
    expect(await found({ kind: 'granted' })).toEqual(['b granted', 'a granted'])
    expect(await found({ kind: 'granted', contactId: bob, audienceId: audience })).toEqual(['b granted'])
    for (const filter of [{ contactId: unknownId }, { audienceId: unknownId }]) expect(await found(filter)).toEqual([])
    expect((await s.contacts.listConsentEvents(s.them, { contactId: ada })).consentEvents).toEqual([])
  })

  test('is filtered by the time of recording', async () => {
    const { consentEvents } = await s.contacts.listConsentEvents(s.us, { contactId: ada })
    const granted = consentEvents.at(-1)!.recordedAt!
    const ms = Number(granted.seconds) * 1_000 + granted.nanos / 1e6
    const at = (offset: number) => timestampFromDate(new Date(ms + offset))
    expect(await found({ until: at(0) })).toEqual([])
    expect(await found({ since: at(0) })).toEqual(all)
    expect(await found({ since: at(86_400_000) })).toEqual([])
    expect(await found({ until: at(86_400_000) })).toEqual(all)
  })

  test('shows wording, source, actor and evidence; of erased evidence it shows only the hash', async () => {
    const granted = async () =>
      (await s.contacts.listConsentEvents(s.us, { kind: 'granted', contactId: bob })).consentEvents[0]!
    const before = await granted()
    expect(before).toMatchObject({
      source: 'form',
      wordingVersion: 'v1',
      evidence: { ip: '192.0.2.1' },
      evidenceSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      audienceId: audience,
      audienceName: 'Monthly',
      actor: expect.any(String),
      actorKind: expect.any(String),
      correlationId: expect.any(String),
    })
    await s.stage.query('delete from contacts.consent_evidence where event_id = $1', [before.id])
    const after = await granted()
    expect(after.evidence).toBeUndefined()
    expect(after.evidenceSha256).toBe(before.evidenceSha256)
  })

  test('stays after the contact is deleted, without its address', async () => {
    const gone = await s.contact(s.us, 'gone@example.com')
    await s.subscribe(gone, audience)
    await s.contacts.deleteContact(s.us, { contactId: gone })
    const { consentEvents } = await s.contacts.listConsentEvents(s.us, { contactId: gone })
    expect(consentEvents).toMatchObject([{ kind: 'granted', contactId: gone }])
    expect(consentEvents[0]!.email).toBeUndefined()
  })

  test('comes in pages', async () => {
    const kinds: string[] = []
    let cursor: string | undefined
    do {
      const page = await s.contacts.listConsentEvents(s.us, { limit: 2, contactId: bob, ...(cursor && { cursor }) })
      kinds.push(page.consentEvents.map((event) => event.kind).join())
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(kinds).toEqual(['suppressed,resolved', 'suppressed,granted'])
  })

  test.each<[string, Filter]>([
    ['kind', { kind: 'asked' }],
    ['contact_id', { contactId: 'x' }],
    ['audience_id', { audienceId: 'x' }],
    ['limit', { limit: 0 }],
    ['cursor', { cursor: 'bm9uc2Vuc2U' }],
  ])('an invalid %s is refused with the name of the field', async (reason, filter) => {
    await expect(s.contacts.listConsentEvents(s.us, filter)).rejects.toMatchObject({ code: 'invalid_argument', reason })
  })
})
