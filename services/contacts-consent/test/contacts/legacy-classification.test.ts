import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const partial = { source: 'a fair' }
const full = { captured_at: '2019-05-01', source: 'a fair', wording: 'emails, monthly' }
const upsert = async (email: string, more: object, caller = s.us) =>
  (await s.contacts.upsertContact(caller, { email, source: 'crm', ...more })).contact!
const lifted = async (contactId: string) =>
  (await s.announced('audit_recorded'))
    .map(({ payload, workspace_id }) => ({ workspace_id, ...fromBinary(AuditRecordedSchema, payload) }))
    .filter((record) => record.action === 'legacy_classification_lifted' && record.subjectId === contactId)

test('a change that resolves a doubtful legacy contact is audited with the actor and the earlier classification', async () => {
  const email = `${newId()}@example.com`
  const audience = await s.audience()
  const { id } = await upsert(email, { isLegacy: true })
  await s.subscribe(id, audience)
  expect(await s.reasons(id, audience)).toEqual(['legacy_consent_unverified'])
  expect(await lifted(id)).toEqual([])

  const editor = s.as(s.ours, { actor: 'editor', correlationId: 'the-lift' })
  await upsert(email, { isLegacy: false }, editor)
  expect(await s.reasons(id, audience)).toEqual([])
  const record = {
    workspace_id: s.ours,
    subjectType: 'contact',
    actor: 'editor',
    detail: { earlier_classification: 'undocumented', classification: null },
  }
  const told = await lifted(id)
  expect(told).toMatchObject([record])
  // the source name of a caller may contain personal data
  expect(Object.keys(told[0]!.detail!)).toEqual(['earlier_classification', 'classification'])
  const [row] = await s.stage.query<{ headers: { correlationId: string } }>(
    "select headers from contacts.outbox where event = 'audit_recorded' order by id desc limit 1",
  )
  expect(row!.headers.correlationId).toBe('the-lift')

  await upsert(email, { isLegacy: false })
  await upsert(email, { firstName: 'Ada' })
  expect(await lifted(id)).toHaveLength(1)

  await upsert(email, { isLegacy: true, legacyConsentEvidence: partial })
  await upsert(email, { legacyConsentEvidence: full })
  await upsert(email, { isLegacy: false })
  expect((await lifted(id)).slice(1)).toMatchObject([
    { detail: { earlier_classification: 'partial', classification: 'documented' } },
    { detail: { earlier_classification: 'documented', classification: null } },
  ])
})

test('a change to or within a doubtful class is not audited as a resolution, and neither is a new contact', async () => {
  const email = `${newId()}@example.com`
  const { id } = await upsert(email, { isLegacy: false })
  await upsert(email, { isLegacy: true, legacyConsentEvidence: full })
  await upsert(email, { legacyConsentEvidence: partial })
  await upsert(email, { legacyConsentEvidence: {} })
  await upsert(email, { company: 'Acme' })
  expect(await lifted(id)).toEqual([])
})

test('concurrent upserts audit each resolution once with its caller, and nothing for a refused upsert', async () => {
  const emails = Array.from({ length: 20 }, () => `${newId()}@example.com`)
  const people = await Promise.all(emails.map((email) => upsert(email, { isLegacy: true })))
  const taken = { source: 'crm', sourceIdentifier: newId() }
  await upsert(`${newId()}@example.com`, taken)
  const answers = await Promise.allSettled(
    emails.map((email, n) =>
      upsert(email, { isLegacy: false, ...(n === 7 ? taken : {}) }, s.as(s.ours, { actor: `editor-${n}` })),
    ),
  )
  expect(answers.filter((answer) => answer.status === 'rejected')).toHaveLength(1)
  for (const [n, { id }] of people.entries())
    expect((await lifted(id)).map((record) => record.actor)).toEqual(n === 7 ? [] : [`editor-${n}`])
})
