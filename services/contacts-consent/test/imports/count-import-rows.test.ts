import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { endSessions } from '../end-sessions.ts'
import { newImport } from './import-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

let people = 0
const address = () => `counted${(people += 1)}@example.com`
const idOf = async (email: string) => (await s.contacts.lookupContact(s.us, { email })).contact!.id

/** Contacts that statements have read, since the database was made. */
async function contactsRead() {
  const [{ read }] = (await s.stage.query<{ read: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where schemaname = 'contacts' and relname = 'contacts'`,
  )) as [{ read: number }]
  return read
}

// The first test: sessions report what they read up to ten seconds later, so the reads of other tests would be counted here.
test('the count in a workspace that the statistics do not know reads each contact a few times, not once for each row', async () => {
  const size = 1_500
  const file = Array.from({ length: size }, () => ({ email: address(), status: 'subscribed' }))
  const apply = async (workspaceId: string) => {
    const caller = s.as(workspaceId)
    const own = newImport(s, await s.audience(caller), { caller })
    await own.apply(file)
    return own
  }
  await s.stage.query('alter table contacts.contacts set (autovacuum_enabled = false)')
  await apply(await s.workspace())
  await s.stage.query('analyze contacts.contacts, contacts.consent_events, contacts.memberships, contacts.import_rows')
  const own = await apply(await s.workspace())
  await endSessions(s.stage)
  const before = await contactsRead()
  expect((await own.count(1, size)).effects).toMatchObject({ contacts: size, consents: size })
  const after = await until(async () => {
    const now = await contactsRead()
    return now - before >= size && now
  })
  expect(after - before).toBeLessThan(size * 10)
})

test('an import is counted from its ledger and from the tables', async () => {
  const audience = await s.audience()
  const member = address()
  await s.subscribe(await s.contact(s.us, member), audience)
  const blocked = address()
  await s.contacts.suppressContact(s.us, {
    contactId: await s.contact(s.us, blocked),
    scope: 'workspace',
    reason: 'manual',
  })
  const own = newImport(s, audience)
  const rows = [
    ...Array.from({ length: 3 }, () => ({ email: address(), status: 'subscribed' })),
    { email: member, status: 'subscribed' },
    { email: blocked, status: 'subscribed' },
    { email: address(), status: 'pending' },
    { email: address(), status: 'unsubscribed' },
    { email: address(), status: 'suppressed' },
    { email: address(), status: 'suppressed' },
    { email: 'bad', status: 'subscribed' },
  ]
  await own.apply(rows)
  const counted = await own.count()
  const lines = counted.outcomes.map(({ outcome, contact, reasons, rows }) =>
    [outcome, contact, ...reasons, rows].join(' '),
  )
  expect(lines.toSorted()).toEqual([
    'already_subscribed existing 1',
    'blocked_by_suppression none suppressed_workspace 1',
    'consent_recorded new 3',
    'needs_review new consent_pending 1',
    'refused none email_invalid 1',
    'suppressed new 2',
    'withdrawn new 1',
  ])
  expect(counted.effects).toMatchObject({
    contacts: 8,
    consents: 3,
    consentsForReview: 0,
    withdrawals: 1,
    suppressions: 2,
    broughtBack: 0,
    contactsLost: 0,
  })

  // What changes later is seen in the tables, and the ledger stays. Nobody counts as lost who was erased or deleted.
  const contactId = await idOf(rows[0]!.email)
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: audience })
  await s.erase(await idOf(rows[1]!.email))
  await s.contacts.deleteContact(s.us, { contactId: await idOf(rows[2]!.email) })
  const left = await idOf(rows[6]!.email)
  for (const { id } of await s.suppressions(left)) await s.resolve(id)
  await s.subscribe(left, audience)
  const later = await own.count()
  expect(later.outcomes).toEqual(counted.outcomes)
  expect(later.effects).toMatchObject({ contacts: 6, consents: 3, broughtBack: 0, contactsLost: 0 })
})

/** Rows that were refused, each in another way, of people who were members. Answers their contacts. */
async function refusedRows(own: ReturnType<typeof newImport>) {
  const { audienceId } = own.plan
  const member = async () => {
    const email = address()
    const id = await s.contact(s.us, email)
    await s.subscribe(id, audienceId)
    return { email, id }
  }
  const resolveAll = async (id: string) => {
    for (const { id: suppressionId } of await s.suppressions(id))
      await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'asked' })
  }
  const unsubscribed = await member()
  const suppressed = await member()
  const bounced = await member()
  await s.contacts.suppressContact(s.us, { contactId: bounced.id, scope: 'workspace', reason: 'hard_bounce' })
  const left = await member()
  await s.contacts.unsubscribeContact(s.us, { contactId: left.id, audienceId })
  await resolveAll(left.id)
  const erased = await member()
  await s.erase(erased.id)
  const again = await s.contact(s.us, erased.email)
  await resolveAll(again)
  const ofOthers = await member()
  await s.contacts.suppressContact(s.them, {
    contactId: await s.contact(s.them, ofOthers.email),
    scope: 'platform',
    reason: 'legal',
  })
  const applied = await own.apply([
    { email: unsubscribed.email, status: 'unsubscribed' },
    { email: suppressed.email, status: 'suppressed' },
    ...[bounced, left, erased, ofOthers].map(({ email }) => ({ email, status: 'subscribed' })),
  ])
  expect(applied).toEqual([
    'withdrawn existing',
    'suppressed existing',
    'blocked_by_suppression none suppressed_workspace',
    'needs_review existing consent_withdrawn',
    'needs_review existing erased_before',
    'blocked_by_suppression none suppressed_platform',
  ])
  expect((await own.count()).effects).toMatchObject({ broughtBack: 0 })
  return { resolveAll, ids: [unsubscribed.id, suppressed.id, bounced.id, left.id, again], ofOthers: ofOthers.email }
}

test('people who subscribe, or whose suppressions are resolved, after their row was refused are not counted as brought back', async () => {
  const own = newImport(s, await s.audience())
  const { resolveAll, ids, ofOthers } = await refusedRows(own)
  for (const contactId of ids) await resolveAll(contactId)
  const [unsubscribed, , , left, again] = ids
  for (const contactId of [unsubscribed!, left!, again!]) await s.subscribe(contactId, own.plan.audienceId)
  await s.stage.query(`update contacts.platform_suppressions set resolved_at = now() where normalized_email = $1`, [
    ofOthers,
  ])
  for (const contactId of ids) expect(await s.reasons(contactId, own.plan.audienceId)).toEqual([])
  expect((await own.count()).effects).toMatchObject({ broughtBack: 0 })
})

test('people who were refused and can get email without a record of the reason are counted as brought back', async () => {
  const own = newImport(s, await s.audience())
  const { ids, ofOthers } = await refusedRows(own)
  // What is older than the row explains nothing.
  await s.stage.query(
    `update contacts.import_rows set applied_at = applied_at + interval '1 minute' where import_id = $1`,
    [own.plan.importId],
  )
  await s.stage.query(
    `update contacts.suppressions set resolved_at = now(), resolved_by = 'nobody', resolution_reason = 'none'
      where contact_id = any($1) and resolved_at is null`,
    [ids],
  )
  await s.stage.query(`delete from contacts.platform_suppressions where normalized_email = $1`, [ofOthers])
  await s.stage.query(
    `insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
     select $1, $2, id, true, 'granted' from unnest($3::uuid[]) id
     on conflict (workspace_id, contact_id, audience_id) do update set is_active = true, consent = 'granted'`,
    [s.ours, own.plan.audienceId, ids],
  )
  for (const contactId of ids) expect(await s.reasons(contactId, own.plan.audienceId)).toEqual([])
  expect((await own.count()).effects).toMatchObject({ broughtBack: 6 })
})

test('a contact of an import that is gone without a deletion counts as lost', async () => {
  const own = newImport(s, await s.audience())
  const [kept, lost] = [address(), address()]
  await own.apply([
    { email: kept, status: 'pending' },
    { email: lost, status: 'pending' },
  ])
  await s.stage.query('delete from contacts.contacts where workspace_id = $1 and id = $2', [s.ours, await idOf(lost)])
  expect((await own.count()).effects).toMatchObject({ contacts: 1, contactsLost: 1 })
})

test('claims for review are counted apart', async () => {
  const own = newImport(s, await s.audience(), { consentPolicy: 'review_required' })
  await own.apply([{ email: address(), status: 'subscribed' }])
  expect((await own.count()).effects).toMatchObject({ consents: 1, consentsForReview: 1 })
})

test('a large import is counted in parts, both passes, and another tenant counts nothing', async () => {
  const own = newImport(s, await s.audience())
  await s.stage.query(
    `insert into contacts.import_rows (workspace_id, import_id, pass, row_number, outcome)
     select $1, $2, 1 + n % 2, n, 'refused' from generate_series(1, 45000) n`,
    [s.ours, own.plan.importId],
  )
  let rows = 0
  for (const firstRow of [1, 10_001, 20_001, 30_001, 40_001])
    for (const { rows: found } of (await own.count(firstRow, firstRow + 9_999)).outcomes) rows += found
  expect(rows).toBe(45_000)
  for (const [firstRow, lastRow] of [
    [0, 10],
    [1, 10_001],
    [2, 1],
  ] as const)
    await expect(own.count(firstRow, lastRow)).rejects.toMatchObject({ reason: 'last_row' })
  const { importId, audienceId } = own.plan
  expect(
    (await s.contacts.countImportRows(s.them, { importId, audienceId, firstRow: 1, lastRow: 10_000 })).outcomes,
  ).toEqual([])
})

test('the ledger of old imports is deleted, and that of others stays', async () => {
  const [old, young, theirs] = [randomUUID(), randomUUID(), randomUUID()]
  const add = (workspaceId: string, importId: string, days: number, rows: number) =>
    s.stage.query(
      `insert into contacts.import_rows (workspace_id, import_id, pass, row_number, outcome, applied_at)
       select $1, $2, 2, n, 'refused', now() - $3 * interval '1 day' from generate_series(1, $4::int) n`,
      [workspaceId, importId, days, rows],
    )
  await add(s.ours, old, 31, 2_500)
  await add(s.ours, young, 29, 10)
  await add(s.theirs, theirs, 31, 10)
  const left = async () =>
    (
      await s.stage.query<{ n: number }>(
        'select count(*)::int as n from contacts.import_rows where import_id = any($1)',
        [[old, young, theirs]],
      )
    )[0]!.n
  await s.boot()
  await until(async () => (await left()) === 10)
})
