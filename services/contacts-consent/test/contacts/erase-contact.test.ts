import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import {
  AlertRaisedSchema,
  AuditRecordedSchema,
  ContactErasedSchema,
  PersonalDataErasedSchema,
} from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { recordFindings } from '../../src/consent-record/verify-consent-proof.ts'
import type { ConsentProof } from '../../src/consent-record/consent-proof.ts'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

const report = (erasureId: string, service: string, removed = {}, part = 1, parts = 1, workspaceId = s.ours) =>
  s.stage.publish(service, PersonalDataErasedSchema, { erasureId, service, part, parts, removed }, { workspaceId })

test('an erasure leaves no data of the person in any table and answers the number of deleted rows', async () => {
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'Gudrun.Aesir@Example.com',
    firstName: 'Gudrún',
    lastName: 'Æsirsdóttir',
    source: 'crm',
    sourceIdentifier: 'gudrún-1',
    sourceMetadata: { note: 'Gudrún called' },
  })
  const contactId = contact!.id
  await s.subscribe(contactId, audience)
  const { suppressionId } = await s.contacts.suppressContact(s.us, {
    contactId,
    scope: 'audience',
    audienceId: audience,
    reason: 'manual',
    evidence: { note: 'Gudrún wrote' },
  })
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'Gudrún changed her mind' })

  const erasure = await s.erase(contactId)
  expect(erasure).toMatchObject({ contactId, state: 'running', requestedBy: 'tester' })
  expect(erasure.services[0]).toMatchObject({
    service: 'contacts-consent',
    state: 'completed',
    removed: {
      contacts: 1,
      memberships: 1,
      contact_sources: 1,
      contact_provenance: 1,
      consent_evidence: 3,
      suppressions: 1,
    },
  })
  const tables = await s.stage.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'contacts' and c.relkind = 'r'`,
  )
  for (const { name } of tables) {
    const found = await s.stage.query(`select 1 from contacts.${name} t where t::text ~* 'gudr[uú]n|(ae|æ)sir'`)
    expect({ name, found: found.length }).toEqual({ name, found: 0 })
  }
  await expect(s.contacts.lookupContact(s.us, { email: 'gudrun.aesir@example.com' })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(s.reasons(contactId, audience)).rejects.toMatchObject({ code: 'not_found', reason: 'contact' })
})

test('the consent record of an erased person stays complete and provable, without personal data', async () => {
  const contactId = await s.contact(s.us, 'provable@example.com')
  await s.subscribe(contactId, audience)
  await s.erase(contactId)
  const { proof } = await s.contacts.getConsentProof(s.us, { contactId })
  const file = proof as unknown as ConsentProof
  expect(recordFindings(file)).toEqual([])
  expect(file.contact).toMatchObject({ id: contactId, exists: false, normalized_email: null })
  expect(file.events.map(({ event }) => event['kind'])).toEqual(['granted', 'suppressed'])
  expect(JSON.stringify(file)).not.toContain('provable@')
})

test('repeated and concurrent requests answer one erasure', async () => {
  const contactId = await s.contact()
  const [one, other] = await Promise.all([s.erase(contactId), s.erase(contactId)])
  expect(other.id).toBe(one.id)
  expect((await s.erase(contactId)).id).toBe(one.id)
  expect(
    (await s.announced('contact_erased')).filter(
      ({ payload }) => fromBinary(ContactErasedSchema, payload).contactId === contactId,
    ),
  ).toHaveLength(1)
})

test('the confirmation must be exact, and an unknown contact cannot be erased', async () => {
  const contactId = await s.contact()
  for (const confirmation of ['', 'ERASE', `erase ${contactId}`, `ERASE ${unknownId}`])
    await expect(s.contacts.eraseContact(s.us, { contactId, confirmation })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'confirmation',
    })
  const theirs = await s.contact(s.them)
  for (const id of [theirs, unknownId])
    await expect(s.erase(id)).rejects.toMatchObject({ code: 'not_found', reason: 'contact' })
  await expect(s.contacts.eraseContact(s.us, { contactId: 'x', confirmation: '' })).rejects.toMatchObject({
    code: 'not_found',
  })
  const { id } = await s.erase(contactId)
  await expect(s.contacts.getErasure(s.them, { erasureId: id })).rejects.toMatchObject({
    code: 'not_found',
    reason: 'erasure',
  })
})

test('an erasure in one workspace changes nothing in another', async () => {
  await s.contact(s.them, 'both@example.com')
  await s.erase(await s.contact(s.us, 'both@example.com'))
  const theirs = await s.contacts.lookupContact(s.them, { email: 'both@example.com' })
  expect(theirs.contact!.email).toBe('both@example.com')
  expect(await s.suppressions(theirs.contact!.id)).toEqual([])
})

test('the answer of an erasure does not depend on contacts of other organizations', async () => {
  const owner = s.as(s.ours, { platformRole: 'owner' })
  const erased = async (email: string) => {
    const contactId = await s.contact(s.us, email)
    await s.contacts.suppressContact(owner, { contactId, scope: 'platform', reason: 'complaint' })
    const { services } = await s.erase(contactId)
    return services
  }
  await s.contact(s.them, 'known-there@example.com')
  const answers = [await erased('known-there@example.com'), await erased('known-here-alone@example.com')]
  expect(answers[0]).toEqual(answers[1])
})

test('the resolution reason for an erased person is not stored', async () => {
  const contactId = await s.contact()
  const { suppressionId } = await s.contacts.suppressContact(s.as(s.ours, { platformRole: 'owner' }), {
    contactId,
    scope: 'platform',
    reason: 'complaint',
  })
  await s.erase(contactId)
  const resolutionReason = 'Sigrún wrote to us'
  for (const { id } of await s.suppressions(contactId))
    if (id !== suppressionId) await s.contacts.resolveSuppression(s.us, { suppressionId: id, resolutionReason })
  const administrator = s.stage.caller({ workspaceId: null, role: null, platformRole: 'administrator', actor: 'ops' })
  await s.contacts.resolvePlatformSuppression(administrator, { suppressionId, resolutionReason })
  const rows = await s.stage.query(
    'select resolved_at is not null as resolved, resolution_reason from contacts.suppressions where contact_id = $1',
    [contactId],
  )
  expect(rows).toEqual(Array(2).fill({ resolved: true, resolution_reason: 'erased' }))
  const resolved = (await s.events(contactId)).filter(({ kind }) => kind === 'resolved')
  expect(resolved).toMatchObject(Array(2).fill({ evidence: null, evidence_sha256: null }))
})

test('an erasure is completed when every service has reported, in any order and with repeats', async () => {
  const { id } = await s.erase(await s.contact())
  await report(id, 'webhook-intake', { provider_events: 3 }, 2, 2)
  await report(id, 'campaigns-delivery', { run_recipients: 2 })
  await report(id, 'campaigns-delivery', { test_sends: 1 })
  const read = async () => (await s.contacts.getErasure(s.us, { erasureId: id })).erasure!
  await until(
    async () =>
      (await read()).services.find(({ service }) => service === 'campaigns-delivery')!.removed['test_sends'] === 1,
  )
  expect((await read()).state).toBe('running')
  await report(id, 'automations', { enrollment_reasons: 1 })
  await report(id, 'webhook-intake', { provider_events: 4 }, 1, 2)
  await until(async () => (await read()).state === 'completed')
  const ends = (await s.announced('alert_raised')).map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
  expect(ends.filter(({ about }) => about === id)).toMatchObject([{ code: 'erasure_incomplete', isOver: true }])
  const { services, completedAt } = await read()
  expect(completedAt).toBeDefined()
  expect(services.map(({ service, removed }) => [service, removed])).toEqual([
    ['contacts-consent', expect.objectContaining({ contacts: 1 })],
    ['campaigns-delivery', { run_recipients: 2, test_sends: 1 }],
    ['webhook-intake', { provider_events: 7 }],
    ['automations', { enrollment_reasons: 1 }],
  ])
})

test('a report about another service’s part is ignored', async () => {
  const { id } = await s.erase(await s.contact())
  for (const service of ['campaigns-delivery', 'webhook-intake']) {
    const forged = { erasureId: id, service, part: 1, parts: 1, removed: { messages: 9 } }
    await s.stage.publish('audit-log', PersonalDataErasedSchema, forged, { workspaceId: s.ours })
  }
  const ignored = async () =>
    (await (await fetch(`http://127.0.0.1:${s.app.healthPort}/metrics`)).text()).match(
      /^lettergate_erasure_reports_ignored_total\S* (\d+)$/m,
    )?.[1]
  await report(id, 'campaigns-delivery', { run_recipients: 2 })
  const read = async () => (await s.contacts.getErasure(s.us, { erasureId: id })).erasure!
  const partOf = async (name: string) => (await read()).services.find(({ service }) => service === name)!
  await until(async () => (await partOf('campaigns-delivery')).state === 'completed')
  expect(await partOf('campaigns-delivery')).toMatchObject({ removed: { run_recipients: 2 } })
  expect((await partOf('campaigns-delivery')).removed['messages']).toBeUndefined()
  expect(await partOf('webhook-intake')).toMatchObject({ state: 'running', removed: {} })
  expect(await ignored()).toBe('2')
})

test('an erasure that cannot be published again does not block later ones', async () => {
  const [failing, behind] = [await s.erase(await s.contact()), await s.erase(await s.contact())]
  await s.stage.query(
    `update contacts.erasures set announced_at = now() - case when id = $1 then interval '3 hours' else interval '2 hours' end where id = any($2)`,
    [failing.id, [failing.id, behind.id]],
  )
  await s.stage.query(
    `create function contacts.always_fails() returns trigger language plpgsql as $$ begin raise exception 'this row always fails'; end $$`,
  )
  await s.stage.query(
    `create trigger always_fails before update on contacts.erasures for each row when (new.id = '${failing.id}') execute function contacts.always_fails()`,
  )
  const other = await s.boot()
  const announced = async (erasureId: string) =>
    (await s.announced('contact_erased')).filter(
      ({ payload }) => fromBinary(ContactErasedSchema, payload).erasureId === erasureId,
    ).length
  await until(async () => (await announced(behind.id)) === 2)
  expect(await announced(failing.id)).toBe(1)
  await other.stop()
  await s.stage.query('drop trigger always_fails on contacts.erasures')
})

test('an unanswered erasure is published again, and raises an alert after a day', async () => {
  const contactId = await s.contact()
  const { id } = await s.erase(contactId)
  const other = await s.boot()
  const announced = async () =>
    (await s.announced('contact_erased')).filter(
      ({ payload }) => fromBinary(ContactErasedSchema, payload).erasureId === id,
    ).length
  await s.stage.query(
    `update contacts.erasures set announced_at = now() - interval '2 hours', requested_at = now() - interval '25 hours' where id = $1`,
    [id],
  )
  const again = await s.boot()
  await until(async () => (await announced()) === 2)
  const alerts = await s.announced('alert_raised')
  expect(
    alerts.some(({ payload }) => payload.toString().includes('erasure_incomplete') && payload.toString().includes(id)),
  ).toBe(true)
  await again.stop()
  await other.stop()
})

test('an erasure is audited by ids alone', async () => {
  const contactId = await s.contact(s.us, 'audited-erasure@example.com')
  const { id } = await s.erase(contactId)
  const { payload } = (await s.announced('audit_recorded')).at(-1)!
  expect(fromBinary(AuditRecordedSchema, payload)).toMatchObject({
    action: 'contact_erased',
    subjectId: contactId,
    actor: 'tester',
    detail: { erasure_id: id },
  })
})
