import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { newId } from '@lettergate/database'
import { AuditRecordedSchema, ContactDeletedSchema } from '@lettergate/contracts/events/v1/events'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const remove = (contactId: string, caller = s.us) => s.contacts.deleteContact(caller, { contactId })
const active = async () => (await s.contacts.getAudience(s.us, { audienceId: audience })).audience!.activeMemberCount

test('a deleted contact is deleted with all its data; its consent record stays without personal data', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'leaving@example.com',
    source: 'crm',
    sourceIdentifier: 'leaving-1',
  })
  const contactId = contact!.id
  await s.subscribe(contactId, audience)
  const before = await active()
  const evidence = () =>
    s.stage.query(
      'select 1 from contacts.consent_evidence d join contacts.consent_events e on e.id = d.event_id where e.contact_id = $1',
      [contactId],
    )
  expect(await evidence()).toHaveLength(1)
  expect(await remove(contactId)).toMatchObject({ deleted: true })
  for (const table of ['contact_sources', 'contact_provenance', 'memberships']) {
    expect(await s.stage.query(`select 1 from contacts.${table} where contact_id = $1`, [contactId])).toEqual([])
  }
  await expect(s.contacts.lookupContact(s.us, { email: 'leaving@example.com' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await active()).toBe(before - 1)
  expect(await evidence()).toEqual([])
  const announced = await s.stage.query<{ payload: Buffer }>(
    `select payload from contacts.outbox where event = 'contact_deleted'`,
  )
  expect(announced.map(({ payload }) => fromBinary(ContactDeletedSchema, payload).contactId)).toContain(contactId)
  const record = await s.events(contactId)
  expect(record).toMatchObject([{ kind: 'granted', audience_id: audience, wording_version: 'v1' }])
  expect(JSON.stringify(record)).not.toContain('leaving@')
})

test('an erasure of evidence is recorded with actor and reason, and cannot affect another workspace', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, { email: 'erased@example.com', source: 'crm' })
  await s.subscribe(contact!.id, audience)
  const role = new pg.Client({ connectionString: s.stage.databaseUrl('contacts') })
  await role.connect()
  try {
    await role.query(`select set_config('app.workspace_id', $1, false)`, [s.theirs])
    const erase = (workspace: string) =>
      role.query('select contacts.erase_evidence($1, $2, $3, $4, $5, $6)', [
        newId(),
        workspace,
        contact!.id,
        'reason',
        'x',
        'x',
      ])
    await expect(erase(s.ours)).rejects.toThrow(/row-level security/)
    expect((await erase(s.theirs)).rows).toEqual([{ erase_evidence: 0 }])
  } finally {
    await role.end()
  }
  await remove(contact!.id)
  const entries = await s.stage.query(
    `select workspace_id, reason, actor, erased_events from contacts.evidence_erasures where contact_id = $1 and workspace_id = $2`,
    [contact!.id, s.ours],
  )
  expect(entries).toEqual([
    { workspace_id: s.ours, reason: 'contact_deleted', actor: s.us.caller.actor, erased_events: 1 },
  ])
})

test('after a deletion, a new contact can have the address and the source identity, and it starts without consent', async () => {
  const ask = { email: 'again@example.com', source: 'crm', sourceIdentifier: 'again-1' }
  const { contact } = await s.contacts.upsertContact(s.us, ask)
  await s.subscribe(contact!.id, audience)
  await remove(contact!.id)
  const made = await s.contacts.upsertContact(s.us, ask)
  expect(made.created).toBe(true)
  expect(made.contact!.id).not.toBe(contact!.id)
  expect(await s.reasons(made.contact!.id, audience)).toEqual(['consent_missing', 'not_subscribed'])
})

test('a contact with a suppression, resolved or not, cannot be deleted', async () => {
  const contactId = await s.contact()
  const { suppressionId } = await s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' })
  const refusal = { code: 'failed_precondition', message: expect.stringContaining(suppressionId) }
  await expect(remove(contactId)).rejects.toMatchObject(refusal)
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'a mistake' })
  await expect(remove(contactId)).rejects.toMatchObject(refusal)
  expect(await s.reasons(contactId, audience)).toEqual(['consent_missing', 'not_subscribed'])
})

test('a concurrent deletion and suppression leave no suppression without a contact', async () => {
  for (let round = 0; round < 10; round += 1) {
    const contactId = await s.contact()
    const [deleted, suppressed] = await Promise.allSettled([
      remove(contactId),
      s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' }),
    ])
    if (deleted.status === 'fulfilled') expect(suppressed).toMatchObject({ reason: { code: 'not_found' } })
    else expect([deleted.reason, suppressed.status]).toMatchObject([{ code: 'failed_precondition' }, 'fulfilled'])
  }
})

test('a link in an old email of a deleted contact is still valid', async () => {
  const contactId = await s.contact()
  const { oneClickUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
  await remove(contactId)
  const token = oneClickUrl.split('/').at(-1)!
  expect(await s.contacts.usePreferenceLink(s.us, { token, via: 'one_click' })).toMatchObject({ unsubscribed: true })
})

test('a deletion is audited by id', async () => {
  const contactId = await s.contact(s.us, 'audited-deletion@example.com')
  await remove(contactId)
  const { payload } = (await s.announced('audit_recorded')).at(-1)!
  expect(fromBinary(AuditRecordedSchema, payload)).toMatchObject({
    action: 'contact_deleted',
    subjectType: 'contact',
    subjectId: contactId,
    actor: 'tester',
  })
  expect(payload.toString()).not.toContain('audited-deletion@')
})

test("a deleted contact and another tenant's contact answer not_found", async () => {
  const gone = await s.contact()
  const theirs = await s.contact(s.them)
  await remove(gone)
  for (const contactId of [gone, theirs, unknownId, 'x']) {
    await expect(remove(contactId)).rejects.toMatchObject({ code: 'not_found', reason: 'contact' })
  }
  expect(await s.stage.query('select 1 from contacts.contacts where id = $1', [theirs])).toHaveLength(1)
})
