// Over 300 lines because booting the services takes longer than the tests, which share them.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { evidenceSha256 } from '../../src/consent-record/seal-hashes.ts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { workspaceLimits } from '../../src/workspaces/workspace-limits.ts'
import { storedTags } from '../tags/stored-tags.ts'
import { approval, checksum, contentOf, newImport, rowsOf, told } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let people = 0
const address = () => `imported${(people += 1)}@example.com`
const found = async (email: string) => (await s.contacts.lookupContact(s.us, { email })).contact!
const subscribed = { status: 'subscribed' }

test('a new person with consent becomes a member with fields, tags, provenance and evidence', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'shoe_size', label: 'Shoe size', fieldType: 'integer' })
  const email = address()
  const own = newImport(s, audience, { staticTags: ['from-shop'] })
  const row = {
    email: ` ${email.toUpperCase()}`,
    first_name: 'Ada',
    last_name: 'Lovelace',
    company: 'Engines',
    country_code: 'gb',
    locale: 'en',
    timezone: 'Europe/London',
    phone: '+44 1',
    tags: 'vip; early ;vip',
    'custom.shoe_size': '38',
    captured_at: '2024-03-02T08:59:00+23:59',
    ...subscribed,
  }
  expect(await own.apply([row])).toEqual(['consent_recorded new'])

  const contact = await found(email)
  expect(contact).toMatchObject({
    email: email.toUpperCase(),
    normalizedEmail: email,
    firstName: 'Ada',
    lastName: 'Lovelace',
    company: 'Engines',
    countryCode: 'GB',
    tags: ['vip', 'early', 'from-shop'],
    customFields: { shoe_size: 38 },
  })
  expect(await s.reasons(contact.id, audience)).toEqual([])
  expect(await s.events(contact.id)).toMatchObject([
    {
      kind: 'granted',
      scope: 'audience',
      audience_id: audience,
      source: 'csv_import',
      wording_version: '2024-1',
      actor: 'tester',
      occurred_at: new Date('2024-03-01T09:00:00Z'),
      evidence: {
        import_id: own.plan.importId,
        row_number: 1,
        source_label: 'Old shop',
        file_sha256: checksum('a'),
        mapping_checksum: checksum('b'),
        report_checksum: checksum('c'),
        approved_by: 'owner',
        consent_policy: 'explicit_opt_in',
        consent_basis: 'newsletter form',
        consent_source: 'old shop',
        wording_version: '2024-1',
        evidence_reference: 'ticket 7',
        captured_at: '2024-03-02T08:59:00+23:59',
      },
    },
  ])
  const origins = await s.stage.query(
    `select source, details || source_metadata as source_metadata, is_creation from contacts.contact_provenance p
       join contacts.shared_details d on d.id = p.shared_id where contact_id = $1`,
    [contact.id],
  )
  expect(origins).toMatchObject([
    {
      source: 'csv_import',
      is_creation: true,
      source_metadata: { import_id: own.plan.importId, row_number: 1, source_label: 'Old shop' },
    },
  ])
  const searches = ['ADA', 'lovelace', 'engines', '@example.com', email.toUpperCase()]
  for (const search of searches) {
    const { contacts } = await s.contacts.listContacts(s.us, { search, limit: 100 })
    expect(contacts.map(({ id }) => id)).toContain(contact.id)
  }
})

test('consent of an import is sealed like any other and its proof verifies', async () => {
  const email = address()
  await newImport(s, audience).apply([{ email, ...subscribed, captured_at: '2024-03-01t10:00:00z' }])
  const { id } = await found(email)
  await until(
    async () => (await s.stage.query('select 1 from contacts.consent_seals where contact_id = $1', [id])).length === 1,
  )
  const { proof } = await s.contacts.getConsentProof(s.us, { contactId: id })
  expect(proof).toBeDefined()
  const [recorded] = await s.stage.query<{ salt: string; evidence: object; evidence_sha256: string }>(
    `select k.salt, d.details || k.evidence as evidence, e.evidence_sha256 from contacts.consent_events e
       join contacts.consent_evidence k on k.event_id = e.id join contacts.shared_details d on d.id = k.shared_id
      where e.contact_id = $1`,
    [id],
  )
  expect(evidenceSha256(recorded!.salt, recorded!.evidence)).toBe(recorded!.evidence_sha256)
  expect(
    await s.stage.query('select 1 from contacts.unsealed_consent_batches where contact_ids @> array[$1::uuid]', [id]),
  ).toEqual([])
})

test('an import fires no trigger, and member and tag counts stay right', async () => {
  const own = await s.audience()
  const emails = Array.from({ length: 5 }, address)
  const before = await contentOf(s)
  await newImport(s, own, { staticTags: ['counted'] }).apply(emails.map((email) => ({ email, ...subscribed })))
  const outbox = (contents: string[]) => contents.find((line) => line.startsWith('outbox '))
  expect(outbox(await contentOf(s))).toBe(outbox(before))
  expect((await s.contacts.getAudience(s.us, { audienceId: own })).audience!.activeMemberCount).toBe(5)
  const { tags } = await s.contacts.listTags(s.us, {})
  expect(tags.find(({ name }) => name === 'counted')!.contactCount).toBe(5)
})

test('empty fields of an existing contact are filled and none is overwritten', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'city', label: 'City', fieldType: 'text' })
  await s.contacts.defineContactField(s.us, { fieldKey: 'street', label: 'Street', fieldType: 'text' })
  const email = address()
  const { contact } = await s.contacts.upsertContact(s.us, {
    email,
    source: 'crm',
    firstName: 'Ada',
    lastName: '',
    tags: ['old'],
    customFields: { city: 'London' },
  })
  const row = {
    email,
    first_name: 'Other',
    last_name: 'Lovelace',
    company: 'Engines',
    tags: 'old;new',
    'custom.city': 'Paris',
    'custom.street': 'High Street',
    ...subscribed,
  }
  expect(await newImport(s, audience).apply([row])).toEqual(['consent_recorded existing'])
  expect(await found(email)).toMatchObject({
    id: contact!.id,
    firstName: 'Ada',
    lastName: 'Lovelace',
    company: 'Engines',
    tags: ['old', 'new'],
    customFields: { city: 'London', street: 'High Street' },
  })
  const sources = await s.stage.query<{ source: string; is_creation: boolean }>(
    'select source, is_creation from contacts.contact_provenance where contact_id = $1 order by id',
    [contact!.id],
  )
  expect(sources).toEqual([
    { source: 'crm', is_creation: true },
    { source: 'csv_import', is_creation: false },
  ])
})

test('tags above the limit are not added, and custom fields without room are left out', async () => {
  await s.contacts.defineContactField(s.us, { fieldKey: 'essay', label: 'Essay', fieldType: 'long_text' })
  const email = address()
  const tags = Array.from({ length: 49 }, (_, n) => `t${n}`)
  const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'crm', tags })
  const own = newImport(s, audience)
  const many = { email, tags: 't1;n1;n2', ...subscribed }
  expect(await own.apply([many])).toEqual(['consent_recorded existing too_many_tags'])
  expect(await storedTags(s.stage, contact!.id)).toEqual(tags)
  expect(await newImport(s, audience).apply([{ ...many, tags: 't1;n1' }])).toEqual(['already_subscribed existing'])
  expect(await storedTags(s.stage, contact!.id)).toEqual([...tags, 'n1'])
  const fresh = { email: address(), tags: Array.from({ length: 51 }, (_, n) => `t${n}`).join(';'), ...subscribed }
  expect(await newImport(s, audience).apply([fresh])).toEqual(['consent_recorded new too_many_tags'])
  expect((await found(fresh.email)).tags).toEqual([])

  const keys = Array.from({ length: 7 }, (_, n) => `essay${n}`)
  for (const fieldKey of keys)
    await s.contacts.defineContactField(s.us, { fieldKey, label: 'Essay', fieldType: 'long_text' })
  const full = address()
  await s.contacts.upsertContact(s.us, {
    email: full,
    source: 'crm',
    customFields: Object.fromEntries(keys.slice(0, 6).map((key) => [key, 'x'.repeat(10_000)])),
  })
  const essay = { email: full, 'custom.essay6': 'y'.repeat(9_000), ...subscribed }
  expect(await newImport(s, audience).evaluate([essay])).toEqual(['consent_recorded existing custom_fields_too_long'])
  expect(await newImport(s, audience).apply([essay])).toEqual(['consent_recorded existing custom_fields_too_long'])
  expect(Object.keys((await found(full)).customFields!)).toHaveLength(6)
})

test('with review_required a subscribed row is a claim under review, and needs no wording', async () => {
  const email = address()
  const reviewed = newImport(s, audience, { consentPolicy: 'review_required', wordingVersion: undefined })
  expect(await reviewed.apply([{ email, ...subscribed }])).toEqual(['needs_review new review_required'])
  const { id } = await found(email)
  expect(await s.reasons(id, audience)).toEqual(['consent_under_review', 'not_subscribed'])
  expect(await s.events(id)).toMatchObject([
    { kind: 'granted', reason: 'review_required', wording_version: 'not_given' },
  ])
  // An opt-in of another file does not decide the review.
  expect(await newImport(s, audience).apply([{ email, ...subscribed }])).toEqual([
    'needs_review existing consent_under_review',
  ])
  expect(await s.events(id)).toHaveLength(1)
  await s.subscribe(id, audience)
  expect(await s.reasons(id, audience)).toEqual([])
})

test('with status_column consent is recorded with the evidence that the policy gives', async () => {
  const email = address()
  const given = { consentPolicy: 'status_column', wordingVersion: undefined, consentBasis: 'old list' }
  expect(await newImport(s, audience, given).apply([{ email, ...subscribed }])).toEqual(['consent_recorded new'])
  const { id } = await found(email)
  expect(await s.events(id)).toMatchObject([
    { wording_version: 'not_given', evidence: { consent_policy: 'status_column', consent_basis: 'old list' } },
  ])
  expect(await s.reasons(id, audience)).toEqual([])
})

test('a row without a status, or pending, makes a contact without consent', async () => {
  const [one, other] = [address(), address()]
  expect(await newImport(s, audience).apply([{ email: one }, { email: other, status: 'pending' }])).toEqual([
    'needs_review new no_status',
    'needs_review new consent_pending',
  ])
  expect(await s.reasons((await found(one)).id, audience)).toEqual(['consent_missing', 'not_subscribed'])
})

test('a batch that comes again does nothing more and answers the same, also after a person left meanwhile', async () => {
  const own = await s.audience()
  const one = newImport(s, own, { staticTags: ['again'] })
  const rows = [
    { email: address(), ...subscribed },
    { email: address(), first_name: 'x'.repeat(161), ...subscribed },
    { email: address(), status: 'unsubscribed' },
    { email: address(), status: 'pending' },
  ]
  const first = await one.apply(rows)
  const { id } = await found(rows[0]!.email)
  await s.contacts.unsubscribeContact(s.us, { contactId: id, audienceId: own })
  const before = await contentOf(s)
  expect(await one.apply(rows)).toEqual(first)
  expect(await contentOf(s)).toEqual(before)
  // Another file is another decision, and it does not bring the person back either.
  expect(await newImport(s, own).applyOnly(rows.slice(0, 1))).toEqual([
    'blocked_by_suppression none suppressed_audience',
  ])
})

test('another apply of an import decides its rows again and has a ledger of its own', async () => {
  const own = await s.audience()
  const { plan, ...first } = newImport(s, own)
  const again = newImport(s, own, { importId: plan.importId, applyNumber: 1 })
  const [one, other] = [address(), address()]
  expect(await first.apply([{ email: one, ...subscribed }, { email: other }])).toEqual([
    'consent_recorded new',
    'needs_review new no_status',
  ])
  const rows = [
    { email: one, status: 'unsubscribed' },
    { email: other, ...subscribed },
  ]
  expect(await again.apply(rows)).toEqual(['withdrawn existing', 'consent_recorded existing'])
  expect(await again.apply(rows)).toEqual(['withdrawn existing', 'consent_recorded existing'])
  expect(await s.reasons((await found(one)).id, own)).toContain('consent_withdrawn')
  expect((await again.count()).effects).toMatchObject({ consents: 1, withdrawals: 1 })
  expect((await first.count()).effects).toMatchObject({ consents: 1, withdrawals: 0 })
  await expect(newImport(s, own, { applyNumber: 32_768 }).apply(rows)).rejects.toMatchObject({ reason: 'apply_number' })
})

test('rows of another tenant, an archived audience and refusals in the wrong pass are refused and write nothing', async () => {
  const archived = await s.audience()
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  const rows = [{ email: address(), ...subscribed }]
  const before = await contentOf(s)
  await expect(newImport(s, audience, { caller: s.them }).apply(rows)).rejects.toMatchObject({ reason: 'audience_id' })
  for (const call of ['evaluate', 'applyOnly', 'suppressOnly'] as const)
    await expect(newImport(s, archived)[call](rows)).rejects.toMatchObject({ reason: 'audience_archived' })
  const { plan } = newImport(s, audience)
  const refusal = rowsOf([{ email: address(), status: 'suppressed' }])
  await expect(s.contacts.applyImportRows(s.us, { plan, approval, rows: refusal })).rejects.toMatchObject({
    reason: 'rows',
  })
  await expect(
    s.contacts.applyImportRows(s.us, { plan, approval: { ...approval, fileSha256: 'x' }, rows: rowsOf(rows) }),
  ).rejects.toMatchObject({ reason: 'file_sha256' })
  expect(await contentOf(s)).toEqual(before)
})

test('a batch with a thousand rows of every kind is applied in one call', async () => {
  const own = await s.audience()
  const rows = Array.from({ length: 1_000 }, (_, n) => ({
    email: address(),
    first_name: n % 3 === 0 ? '' : `Name "${n}", {x} \\ \n ü 😀`,
    tags: n % 2 === 0 ? 'even' : 'odd;x',
    ...subscribed,
  }))
  const applied = await newImport(s, own).apply(rows)
  expect(new Set(applied)).toEqual(new Set(['consent_recorded new']))
  expect((await found(rows[1]!.email)).firstName).toBe(rows[1]!.first_name)
  expect((await s.contacts.getAudience(s.us, { audienceId: own })).audience!.activeMemberCount).toBe(1_000)
  const { outcomes } = await s.contacts.evaluateImportRows(s.us, {
    plan: newImport(s, own).plan,
    rows: rowsOf(rows),
  })
  expect(new Set(told(outcomes))).toEqual(new Set(['already_subscribed existing']))
})

test('tags come into the catalogue only with rows that add them, and an evaluation says which', async () => {
  const workspace = await s.workspace()
  const us = s.as(workspace)
  const own = await s.audience(us)
  const blocked = await s.contact(us, address())
  await s.contacts.suppressContact(us, { contactId: blocked, scope: 'workspace', reason: 'manual' })
  const { contact } = await s.contacts.getContact(us, { contactId: blocked })
  const names = async () => (await s.contacts.listTags(us, {})).tags.map(({ name }) => name)
  const rows = [
    { email: contact!.email, tags: 'of the blocked', ...subscribed },
    { email: 'nobody', tags: 'of nobody', ...subscribed },
    { email: address(), tags: 'known;new', ...subscribed },
    { email: address(), tags: Array.from({ length: 51 }, (_, n) => `much ${n}`).join(';'), ...subscribed },
  ]
  await s.contacts.registerTag(us, { name: 'known' })
  const file = newImport(s, own, { caller: us })
  const evaluated = await s.contacts.evaluateImportRows(us, { plan: file.plan, rows: rowsOf(rows) })
  expect(evaluated).toMatchObject({ newTags: ['new'], tagRoom: workspaceLimits.tags - 1 })
  expect(await names()).toEqual(['known'])
  await file.apply(rows)
  expect(await names()).toEqual(['known', 'new'])
  expect((await s.contacts.evaluateImportRows(us, { plan: file.plan, rows: rowsOf(rows) })).newTags).toEqual([])
})
