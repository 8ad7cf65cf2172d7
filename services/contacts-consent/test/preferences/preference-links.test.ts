import { fromBinary } from '@bufbuild/protobuf'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { signPreferenceToken } from '../../src/preferences/preference-token.ts'
import { parseKeyRing } from '../../src/values/key-ring.ts'
import { baseUrl, unknownId, openContacts, signingKey, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts({ PREFERENCE_TOKEN_MAX_AGE_SECONDS: '3600' })
})
afterAll(() => s.close())

/** The caller of a link: it has no workspace and no credential. */
const reader = () => s.stage.caller({ actor: 'recipient', actorKind: 'recipient', role: null })

async function tokenOf(contactId: string, audienceId?: string) {
  const ask = audienceId === undefined ? { scope: 'workspace' } : { scope: 'audience', audienceId }
  const { preferenceUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, ...ask })
  return preferenceUrl.slice(`${baseUrl}/preferences/`.length)
}
const use = (token: string, via = 'preference_page') => s.contacts.usePreferenceLink(reader(), { token, via })
const describeLink = (token: string) => s.contacts.describePreferenceLink(reader(), { token })

const auditsOf = async (contactId: string) =>
  (await s.announced('audit_recorded'))
    .filter((event) => event.workspace_id === s.ours)
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ action, subjectId }) => action === 'preference_link_used' && subjectId === contactId)

test('a link of an audience ends that audience alone; a repeat is harmless', async () => {
  const [contact, audience, other] = [await s.contact(), await s.audience(), await s.audience()]
  await s.subscribe(contact, audience)
  await s.subscribe(contact, other)
  const token = await tokenOf(contact, audience)
  expect(await use(token)).toMatchObject({ unsubscribed: true, scope: 'audience' })
  expect(await use(token, 'one_click')).toMatchObject({ unsubscribed: true, scope: 'audience' })
  expect(await s.reasons(contact, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
  expect(await s.reasons(contact, other)).toEqual([])
  expect(await s.suppressions(contact)).toHaveLength(1)
  expect((await s.events(contact)).at(-1)).toMatchObject({
    kind: 'withdrawn',
    actor: 'recipient',
    actor_kind: 'recipient',
    source: 'preference_link',
    evidence: { via: 'preference_page', link_expired: false },
  })
})

test('a link of the workspace ends every membership and leaves one workspace suppression', async () => {
  const [contact, audience, other, never] = [
    await s.contact(),
    await s.audience(),
    await s.audience(),
    await s.audience(),
  ]
  await s.subscribe(contact, audience)
  await s.subscribe(contact, other)
  const token = await tokenOf(contact)
  await use(token)
  expect(await use(token)).toMatchObject({ unsubscribed: true, scope: 'workspace' })
  for (const id of [audience, other]) {
    expect(await s.reasons(contact, id)).toEqual(['suppressed_workspace', 'consent_withdrawn', 'not_subscribed'])
  }
  expect(await s.reasons(contact, never)).toEqual(['suppressed_workspace', 'consent_missing', 'not_subscribed'])
  expect(await s.suppressions(contact)).toMatchObject([{ scope: 'workspace', reason: 'unsubscribe' }])
})

test('leaving is recorded, also if an operator had suppressed the person as unsubscribed before', async () => {
  const contactId = await s.contact()
  await s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'unsubscribe' })
  const token = await tokenOf(contactId)
  await use(token)
  const withdrawals = async () => (await s.events(contactId)).filter(({ kind }) => kind === 'withdrawn')
  expect(await withdrawals()).toMatchObject([{ actor: 'recipient', source: 'preference_link' }])
  await use(token)
  expect(await withdrawals()).toHaveLength(1)
})

test('describing a link answers its scope and changes nothing', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'reader@example.com',
    source: 'test',
    locale: 'sv',
  })
  const audience = await s.audience()
  await s.subscribe(contact!.id, audience)
  const token = await tokenOf(contact!.id, audience)
  const before = await describeLink(token)
  expect(before).toMatchObject({
    maskedEmail: 'r***@example.com',
    scope: 'audience',
    audienceName: 'Monthly',
    workspaceName: 'Acme Newsletter',
    locale: 'sv',
    isAged: false,
    isUnsubscribed: false,
  })
  expect(await s.reasons(contact!.id, audience)).toEqual([])
  await use(token)
  expect(await describeLink(token)).toMatchObject({ isUnsubscribed: true })
  const whole = await describeLink(await tokenOf(contact!.id))
  expect(whole).toMatchObject({ scope: 'workspace', isUnsubscribed: false })
  expect(whole.audienceName).toBeUndefined()
})

test('a link of an audience comes with a link for the whole workspace, until the person has left the workspace', async () => {
  const [contact, audience, other] = [await s.contact(), await s.audience(), await s.audience()]
  await s.subscribe(contact, audience)
  await s.subscribe(contact, other)
  const token = await tokenOf(contact, audience)
  expect((await describeLink(token)).workspaceToken).toBeDefined()
  await use(token)
  const { workspaceToken } = await describeLink(token)
  expect(await s.reasons(contact, other)).toEqual([])
  expect(await describeLink(workspaceToken!)).toMatchObject({ scope: 'workspace', isUnsubscribed: false })
  expect((await describeLink(workspaceToken!)).workspaceToken).toBeUndefined()
  expect(await use(workspaceToken!)).toMatchObject({ unsubscribed: true, scope: 'workspace' })
  expect(await s.reasons(contact, other)).toContain('suppressed_workspace')
  const after = await describeLink(token)
  expect(after).toMatchObject({ scope: 'audience', isUnsubscribed: true })
  expect(after.workspaceToken).toBeUndefined()
})

test('the workspace link has the age of its audience link and is signed with the current key', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const token = await tokenOf(contact, audience)
  const rotated = await s.boot({ PREFERENCE_SIGNING_KEYS: `k3:${randomBytes(32).toString('base64url')},${signingKey}` })
  const after = await s.stage.client(ContactsConsent, rotated.rpcPort)
  s.stage.clock.advance(3_600_000 * 2)
  const { workspaceToken } = await after.describePreferenceLink(reader(), { token })
  expect(workspaceToken).toMatch(/^k3\./)
  expect(await after.describePreferenceLink(reader(), { token: workspaceToken! })).toMatchObject({ isAged: true })
  await after.usePreferenceLink(reader(), { token: workspaceToken!, via: 'preference_page' })
  s.stage.clock.release()
  const [audited] = await auditsOf(contact)
  expect(audited).toMatchObject({ subjectId: contact, detail: { link_expired: true, scope: 'workspace' } })
  await rotated.stop()
})

test('a resolved unsubscribe is no longer shown', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  const token = await tokenOf(contact, audience)
  await use(token)
  await s.resolve((await s.suppressions(contact))[0]!.id)
  expect(await describeLink(token)).toMatchObject({ isUnsubscribed: false })
})

test('an aged link works, is shown as aged and is marked in the audit log', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const token = await tokenOf(contact, audience)
  s.stage.clock.advance(3_600_000 * 24 * 365 * 10)
  expect(await describeLink(token)).toMatchObject({ isAged: true })
  expect(await use(token)).toMatchObject({ unsubscribed: true })
  s.stage.clock.release()
  const [audited] = await auditsOf(contact)
  expect(audited).toMatchObject({
    action: 'preference_link_used',
    actor: 'recipient',
    subjectId: contact,
    detail: { link_expired: true, scope: 'audience' },
  })
})

test('forged, tampered and foreign-key tokens are refused and change nothing', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const token = await tokenOf(contact, audience)
  const foreign = await s.boot({ PREFERENCE_SIGNING_KEYS: `k1:${randomBytes(32).toString('base64url')}` })
  const foreignClient = await s.stage.client(ContactsConsent, foreign.rpcPort)
  const { preferenceUrl } = await foreignClient.createPreferenceToken(s.us, { contactId: contact, scope: 'workspace' })
  const forged = [
    preferenceUrl.split('/').at(-1)!,
    `${token}x`,
    token.replace('.', '.A'),
    'x',
    '',
    `k1.${'A'.repeat(80)}.${'A'.repeat(43)}`,
    'a\u0000.b.c',
  ]
  for (const each of forged) {
    await expect(use(each)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'invalid_token' })
    await expect(describeLink(each)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'invalid_token' })
  }
  expect(await s.reasons(contact, audience)).toEqual([])
  await foreign.stop()
})

test('links signed with an old key work after a new key took over', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const token = await tokenOf(contact, audience)
  const rotated = await s.boot({ PREFERENCE_SIGNING_KEYS: `k2:${randomBytes(32).toString('base64url')},${signingKey}` })
  const after = await s.stage.client(ContactsConsent, rotated.rpcPort)
  const fresh = await after.createPreferenceToken(s.us, { contactId: contact, scope: 'workspace' })
  expect(fresh.oneClickUrl).toContain('/one-click/k2.')
  expect(await after.usePreferenceLink(reader(), { token, via: 'one_click' })).toMatchObject({ unsubscribed: true })
  await rotated.stop()
})

test('a link of a deleted contact is valid, changes nothing, and its use is in the audit log with its age', async () => {
  const contact = await s.contact()
  const token = await tokenOf(contact)
  await s.stage.query('delete from contacts.contacts where id = $1', [contact])
  expect(await use(token)).toMatchObject({ unsubscribed: true, scope: 'workspace' })
  expect(await describeLink(token)).toMatchObject({ maskedEmail: '', isUnsubscribed: false })
  expect(await s.events(contact)).toEqual([])
  expect((await auditsOf(contact)).map(({ detail }) => detail)).toEqual([
    { scope: 'workspace', via: expect.any(String), link_expired: false, changed: false },
  ])
  s.stage.clock.advance(3_600_000 * 24 * 365 * 10)
  await use(token)
  s.stage.clock.release()
  expect((await auditsOf(contact)).map(({ detail }) => detail!['link_expired'])).toEqual([false, true])
})

test.each(['audience', 'workspace'])(
  'an old link of the %s suppresses a person who was erased several times and subscribed again',
  async (scope) => {
    const email = `came-back-${scope}@example.com`
    const audience = await s.audience()
    const before = await s.contact(s.us, email)
    const token = await tokenOf(before, scope === 'audience' ? audience : undefined)
    let contactId = before
    for (let round = 0; round < 2; round += 1) {
      await s.erase(contactId)
      contactId = await s.contact(s.us, email)
    }
    for (const { id } of await s.suppressions(contactId)) await s.resolve(id)
    await s.subscribe(contactId, audience)
    expect(await s.reasons(contactId, audience)).toEqual([])

    expect(await describeLink(token)).toMatchObject({
      maskedEmail: 'c***@example.com',
      isUnsubscribed: false,
    })
    expect(await use(token, 'one_click')).toMatchObject({ unsubscribed: true, scope })
    expect(await s.reasons(contactId, audience)).toContain(`suppressed_${scope}`)
    expect(await describeLink(token)).toMatchObject({ isUnsubscribed: true })
  },
)

test('a link of an unknown contact or a deleted audience is valid and changes nothing', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  const signed = (claim: { contactId: string; audienceId: string | null }) =>
    signPreferenceToken(parseKeyRing(signingKey), { workspaceId: s.ours, issuedAt: new Date(), ...claim })
  const unknownContact = signed({ contactId: newId(), audienceId: audience })
  expect(await use(unknownContact)).toMatchObject({ unsubscribed: true, scope: 'audience' })
  const ofUnknownContact = await describeLink(unknownContact)
  expect(ofUnknownContact).toMatchObject({ maskedEmail: '', isUnsubscribed: false, workspaceName: 'Acme Newsletter' })
  expect(ofUnknownContact.workspaceToken).toBeUndefined()

  const gone = signed({ contactId: contact, audienceId: newId() })
  expect(await use(gone)).toMatchObject({ unsubscribed: true, scope: 'audience' })
  const [audited] = await auditsOf(contact)
  expect(audited).toMatchObject({ action: 'preference_link_used', subjectId: contact, actor: 'recipient' })
  const ofGone = await describeLink(gone)
  expect(ofGone).toMatchObject({ scope: 'audience', isUnsubscribed: false })
  expect(ofGone.audienceName).toBeUndefined()
  expect(ofGone.workspaceToken).toBeDefined()
  expect(await s.events(contact)).toEqual([])
  expect(await s.suppressions(contact)).toEqual([])
})

test('a token is created only for a known contact and a known audience that matches the scope', async () => {
  const contact = await s.contact()
  const create = (ask: { contactId: string; scope: string; audienceId?: string }) =>
    s.contacts.createPreferenceToken(s.us, ask)
  for (const id of [await s.contact(s.them), unknownId, 'x']) {
    await expect(create({ contactId: id, scope: 'workspace' })).rejects.toMatchObject({ code: 'not_found' })
  }
  for (const id of [await s.audience(s.them), unknownId, 'x']) {
    await expect(create({ contactId: contact, scope: 'audience', audienceId: id })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'audience_id',
    })
  }
  await expect(create({ contactId: contact, scope: 'platform' })).rejects.toMatchObject({ reason: 'scope' })
  await expect(create({ contactId: contact, scope: 'audience' })).rejects.toMatchObject({ reason: 'audience_id' })
  await expect(create({ contactId: contact, scope: 'workspace', audienceId: unknownId })).rejects.toMatchObject({
    reason: 'audience_id',
  })
  await expect(use(await tokenOf(contact), 'carrier_pigeon')).rejects.toMatchObject({ reason: 'via' })
})

test('the service refuses to start with a signing key below 256 bits and does not show the key', async () => {
  const short = randomBytes(31).toString('base64url')
  const refused = await s.boot({ PREFERENCE_SIGNING_KEYS: `k1:${short}` }).catch((error: unknown) => error)
  expect(refused).toMatchObject({
    message: expect.stringContaining('PREFERENCE_SIGNING_KEYS must hold keys of at least 256 bits'),
  })
  expect(String(refused)).not.toContain(short)
})
