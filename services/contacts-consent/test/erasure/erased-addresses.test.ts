import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { erasureKey, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const upsert = async (email: string, caller = s.us) =>
  (await s.contacts.upsertContact(caller, { email, source: 'crm' })).contact!

test('an erased address that is added by an upsert is suppressed in the same transaction, in upper or lower case', async () => {
  const before = await s.contact(s.us, 'comes.back@example.com')
  await s.subscribe(before, audience)
  await s.erase(before)
  const contact = await upsert('Comes.BACK@Example.com')
  expect(contact.id).not.toBe(before)
  await expect(s.subscribe(contact.id, audience)).rejects.toMatchObject({ code: 'failed_precondition' })
  expect(await s.reasons(contact.id, audience)).toContain('suppressed_workspace')
  expect(await s.suppressions(contact.id)).toMatchObject([{ scope: 'workspace', reason: 'legal', resolved_at: null }])
  expect((await s.events(contact.id)).map(({ kind }) => kind)).toEqual(['suppressed'])
})

test('unresolved suppressions of an erased address are restored, and resolved ones are not', async () => {
  const before = await s.contact(s.us, 'stood@example.com')
  const add = (scope: string, reason: string, audienceId?: string) =>
    s.contacts.suppressContact(s.us, { contactId: before, scope, reason, ...(audienceId ? { audienceId } : {}) })
  await add('audience', 'complaint', audience)
  const { suppressionId } = await add('workspace', 'hard_bounce')
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'a mistake' })
  await s.erase(before)
  const { id } = await upsert('stood@example.com')
  expect((await s.suppressions(id)).map(({ scope, reason }) => `${scope} ${reason}`).toSorted()).toEqual([
    'audience complaint',
    'workspace legal',
  ])
})

test('an erased person can receive email again after a resolved suppression and a new consent', async () => {
  const before = await s.contact(s.us, 'again@example.com')
  await s.erase(before)
  const { id } = await upsert('again@example.com')
  for (const suppression of await s.suppressions(id))
    await s.contacts.resolveSuppression(s.us, { suppressionId: suppression.id, resolutionReason: 'asked us to' })
  await s.subscribe(id, audience)
  expect(await s.reasons(id, audience)).toEqual([])
  await upsert('again@example.com')
  expect(await s.reasons(id, audience)).toEqual([])
})

test('a person who was erased twice is suppressed, also if the first suppression was resolved', async () => {
  const first = await s.contact(s.us, 'twice@example.com')
  await s.erase(first)
  const second = await upsert('twice@example.com')
  for (const suppression of await s.suppressions(second.id))
    await s.contacts.resolveSuppression(s.us, { suppressionId: suppression.id, resolutionReason: 'asked us to' })
  await s.erase(second.id)
  const third = await upsert('twice@example.com')
  expect(await s.reasons(third.id, audience)).toContain('suppressed_workspace')
})

test('concurrent upserts and erasures of one address never leave a contact without its suppression', async () => {
  for (let round = 0; round < 10; round += 1) {
    const email = `race${round}@example.com`
    const before = await s.contact(s.us, email)
    const [, upserted] = await Promise.all([s.erase(before), upsert(email)])
    const standing = upserted.id === before ? [] : await s.suppressions(upserted.id)
    expect(upserted.id === before || standing.some(({ reason }) => reason === 'legal')).toBe(true)
    const { contact } = await s.contacts.lookupContact(s.us, { email }).catch(() => ({ contact: undefined }))
    if (contact) expect(await s.reasons(contact.id, audience)).toContain('suppressed_workspace')
  }
})

/** A platform suppression of our workspace, with the stored form of its address. */
async function suppressedEverywhere(email: string) {
  const contactId = await s.contact(s.us, email)
  const owner = s.as(s.ours, { platformRole: 'owner' })
  const request = { contactId, scope: 'platform', reason: 'complaint' }
  const { suppressionId } = await s.contacts.suppressContact(owner, request)
  const address = async () =>
    (
      await s.stage.query<{ normalized_email: string }>(
        'select normalized_email from contacts.platform_suppressions where id = $1',
        [suppressionId],
      )
    )[0]!.normalized_email
  return { contactId, suppressionId, address }
}

test('a suppression of the platform keeps the address while another workspace has it, and its hash afterwards', async () => {
  const theirs = await s.contact(s.them, 'everywhere@example.com')
  const { contactId: ours, suppressionId, address } = await suppressedEverywhere('everywhere@example.com')
  await s.erase(ours)
  expect(await address()).toBe('everywhere@example.com')
  const theirAudience = await s.audience(s.them)
  expect(await s.reasons(theirs, theirAudience, s.them)).toContain('suppressed_platform')
  await s.erase(theirs, s.them)
  expect(await address()).toBe(`erased:${suppressionId}`)
  const third = await s.workspace()
  const thirdCaller = s.as(third)
  const back = await upsert('Everywhere@example.com', thirdCaller)
  const thirdAudience = await s.audience(thirdCaller)
  expect(await s.reasons(back.id, thirdAudience, thirdCaller)).toContain('suppressed_platform')
  expect(await address()).toBe('everywhere@example.com')
})

test('the address of an erased person is deleted with its last contact, also by a deletion', async () => {
  const theirs = await s.contact(s.them, 'shared@example.com')
  const { contactId, suppressionId, address } = await suppressedEverywhere('shared@example.com')
  await s.erase(contactId)
  expect(await address()).toBe('shared@example.com')
  await s.contacts.deleteContact(s.them, { contactId: theirs })
  expect(await address()).toBe(`erased:${suppressionId}`)

  const third = s.as(await s.workspace())
  const back = await upsert('Shared@example.com', third)
  expect(await address()).toBe('shared@example.com')
  expect(await s.reasons(back.id, await s.audience(third), third)).toContain('suppressed_platform')
  await s.contacts.deleteContact(third, { contactId: back.id })
  expect(await address()).toBe(`erased:${suppressionId}`)
  expect((await s.contacts.prepareTestRecipient(third, { email: 'shared@example.com' })).reasons).toEqual([
    'suppressed_platform',
  ])
})

test('the last two contacts of an erased person that are deleted at once leave no address', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = `last-two${round}@example.com`
    const third = s.as(await s.workspace())
    const [one, other] = [await s.contact(s.them, email), await s.contact(third, email)]
    const { contactId, suppressionId, address } = await suppressedEverywhere(email)
    await s.erase(contactId)
    await Promise.all([
      s.contacts.deleteContact(s.them, { contactId: one }),
      s.contacts.deleteContact(third, { contactId: other }),
    ])
    expect(await address()).toBe(`erased:${suppressionId}`)
  }
})

test('a platform suppression keeps an address that was not erased, also if another workspace deletes its contact', async () => {
  const theirs = await s.contact(s.them, 'never-erased@example.com')
  const { address } = await suppressedEverywhere('never-erased@example.com')
  await s.contacts.deleteContact(s.them, { contactId: theirs })
  expect(await address()).toBe('never-erased@example.com')
})

test('a test message to an erased address is refused by its unresolved suppressions', async () => {
  await s.erase(await s.contact(s.us, 'tested@example.com'))
  const prepared = await s.contacts.prepareTestRecipient(s.us, { email: 'Tested@example.com' })
  expect(prepared).toMatchObject({ reasons: ['suppressed_workspace'] })
  expect(prepared.contactId).toBeUndefined()
})

test('a process without the key of an erased address refuses to start, and one with a newer key in front finds it', async () => {
  const before = await s.contact(s.us, 'rotated@example.com')
  await s.erase(before)
  const other = `e2:${Buffer.alloc(32, 6).toString('base64url')}`
  await expect(s.boot({ ERASURE_HASH_KEYS: other })).rejects.toThrow(/ERASURE_HASH_KEYS lacks e1/)
  const rotated = await s.boot({ ERASURE_HASH_KEYS: `${other},${erasureKey}` })
  const prepared = await s.contacts.prepareTestRecipient(s.us, { email: 'rotated@example.com' })
  expect(prepared.reasons).toEqual(['suppressed_workspace'])
  await rotated.stop()
})

test('a process with another secret for a known key id refuses to start, also before the first erasure with this key', async () => {
  const secret = Buffer.alloc(32, 7).toString('base64url')
  await expect(s.boot({ ERASURE_HASH_KEYS: `e1:${secret}` })).rejects.toThrow(/another secret than before under e1/)
  const added = await s.boot({ ERASURE_HASH_KEYS: `${erasureKey},e3:${Buffer.alloc(32, 8).toString('base64url')}` })
  await added.stop()
  await expect(s.boot({ ERASURE_HASH_KEYS: `${erasureKey},e3:${secret}` })).rejects.toThrow(/before under e3/)
})

test('the erased ones of many addresses are found, in any spelling and only in their workspace', async () => {
  const { id: erasureId } = await s.erase(await s.contact(s.us, 'matched@example.com'))
  const emails = ['somebody@example.com', 'Matched@Example.com']
  expect((await s.contacts.matchErasedAddresses(s.us, { erasureId, emails })).erased).toEqual(['Matched@Example.com'])
  await expect(s.contacts.matchErasedAddresses(s.them, { erasureId, emails })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'erasure_id',
  })
  await upsert('matched@example.com')
  expect((await s.contacts.matchErasedAddresses(s.us, { erasureId, emails })).erased).toEqual([])
})
