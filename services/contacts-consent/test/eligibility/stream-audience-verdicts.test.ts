import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { newId } from '@lettergate/database'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'
import { endSessions } from '../end-sessions.ts'

let s: ContactsStage
let audience: string
const members = 20_500
const tables = ['contacts', 'memberships', 'suppressions']

beforeAll(async () => {
  s = await openContacts()
  for (const table of tables) await s.stage.query(`alter table contacts.${table} set (autovacuum_enabled = false)`)
  audience = await s.audience()
  await s.stage.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select $1, gen_random_uuid(), 'm' || n || '@example.com', 'm' || n || '@example.com' from generate_series(1, ${members}) n returning id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
     select $1, $2, id, true, 'granted' from made`,
    [s.ours, audience],
  )
})
afterAll(() => s.close())

async function collect(audienceIds: string[], caller = s.us) {
  const batches = []
  for await (const batch of s.contacts.streamAudienceVerdicts(caller, { audienceIds })) batches.push(batch.verdicts)
  return batches
}

const openTransactions = async () =>
  (
    await s.stage.query(
      "select 1 from pg_stat_activity where datname = current_database() and usename = 'contacts' and state <> 'idle'",
    )
  ).length

test('every contact of the audience appears once, in batches of at most 1,000, with a normalized address', async () => {
  const batches = await collect([audience])
  expect(batches.map((batch) => batch.length)).toEqual([...Array.from({ length: 20 }, () => 1_000), 500])
  expect(new Set(batches.flat().map((verdict) => verdict.contactId)).size).toBe(members)
  expect(batches[0]![0]).toMatchObject({
    audienceId: audience,
    reasons: [],
    normalizedEmail: expect.stringMatching(/^m\d+@example\.com$/),
  })
})

test('a contact in several of the audiences appears once, under the first that allows it', async () => {
  const [first, second] = [await s.audience(), await s.audience()]
  const [contact, blocked] = [await s.contact(), await s.contact()]
  for (const id of [contact, blocked]) for (const each of [first, second]) await s.subscribe(id, each)
  await s.contacts.suppressContact(s.us, { contactId: contact, scope: 'audience', reason: 'manual', audienceId: first })
  await s.contacts.suppressContact(s.us, { contactId: blocked, scope: 'workspace', reason: 'manual' })
  const verdicts = (await collect([first, second, first])).flat()
  expect(verdicts).toHaveLength(2)
  expect(verdicts.find((verdict) => verdict.contactId === contact)).toMatchObject({ audienceId: second, reasons: [] })
  expect(verdicts.find((verdict) => verdict.contactId === blocked)).toMatchObject({
    audienceId: first,
    reasons: ['suppressed_workspace'],
  })
})

test('if lines are requested, eligible contacts are answered as lines of their audience and the others as verdicts', async () => {
  const [first, second] = [await s.audience(), await s.audience()]
  const [both, one, blocked] = [await s.contact(), await s.contact(), await s.contact()]
  for (const id of [both, blocked]) await s.subscribe(id, first)
  for (const id of [both, one]) await s.subscribe(id, second)
  await s.contacts.suppressContact(s.us, { contactId: blocked, scope: 'workspace', reason: 'manual' })
  const request = { audienceIds: [first, second] }
  const eligible = []
  const excluded = []
  for await (const batch of s.contacts.streamAudienceVerdicts(s.us, { ...request, eligibleInLines: true })) {
    excluded.push(...batch.verdicts)
    for (const { audienceId, count, contactIds, normalizedEmails } of batch.eligible) {
      const [ids, emails] = [contactIds.split('\n'), normalizedEmails.split('\n')]
      expect([ids.length, emails.length]).toEqual([count, count])
      eligible.push(...ids.map((contactId, n) => ({ contactId, audienceId, normalizedEmail: emails[n] })))
    }
  }
  const verdicts = (await collect(request.audienceIds)).flat()
  const told = verdicts.map(({ contactId, audienceId, normalizedEmail }) => ({
    contactId,
    audienceId,
    normalizedEmail,
  }))
  expect(told.filter(({ contactId }) => contactId !== blocked)).toEqual(expect.arrayContaining(eligible))
  expect(new Set(eligible.map(({ contactId, audienceId }) => `${contactId} ${audienceId}`))).toEqual(
    new Set([`${both} ${first}`, `${one} ${second}`]),
  )
  expect(excluded).toMatchObject([{ contactId: blocked, reasons: ['suppressed_workspace'] }])
})

test('an empty audience has no verdicts', async () => {
  expect(await collect([await s.audience()])).toEqual([])
})

test('a reader that stops early ends the transaction at once', async () => {
  for await (const batch of s.contacts.streamAudienceVerdicts(s.us, { audienceIds: [audience] })) {
    expect(batch.verdicts).toHaveLength(1_000)
    break
  }
  await until(async () => (await openTransactions()) === 0)
})

test('a stream is one snapshot: it contains no later changes', async () => {
  let seen = 0
  for await (const batch of s.contacts.streamAudienceVerdicts(s.us, { audienceIds: [audience] })) {
    if (seen === 0) await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [audience])
    expect(batch.verdicts.every((verdict) => verdict.reasons.length === 0)).toBe(true)
    seen += batch.verdicts.length
  }
  expect(seen).toBe(members)
  const [verdicts] = await collect([audience])
  expect(verdicts![0]!.reasons).toEqual(['audience_archived'])
})

test('unknown, foreign and malformed audiences are refused with the name of the field', async () => {
  for (const id of [await s.audience(s.them), unknownId, 'x']) {
    await expect(collect([audience, id])).rejects.toMatchObject({ code: 'invalid_argument', reason: 'audience_ids' })
  }
  await expect(collect([])).rejects.toMatchObject({ code: 'invalid_argument', reason: 'audience_ids' })
})

/** Rows that statements have read of the tables, since the database was made. */
async function rowsRead() {
  const rows = await s.stage.query<{ relname: string; read: number }>(
    `select relname, (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables
      where schemaname = 'contacts' and relname in ('contacts', 'memberships', 'suppressions') order by relname`,
  )
  return Object.fromEntries(rows.map(({ relname, read }) => [relname, read]))
}

/** Contacts of one audience, one in four suppressed for it, without statistics about them. */
async function fillAudience(workspaceId: string, count: number) {
  const audienceId = newId()
  await s.stage.query(
    `insert into contacts.audiences (workspace_id, id, name, slug, purpose) values ($1, $2, 'A', $3, 'p')`,
    [workspaceId, audienceId, `a-${audienceId}`],
  )
  await s.stage.query(
    `with people as materialized (
       select $1::uuid as workspace_id, gen_random_uuid() as id, n, n || '.' || $2 || '@example.com' as address from generate_series(1, $3::int) n),
     made as (insert into contacts.contacts (workspace_id, id, email, normalized_email) select workspace_id, id, address, address from people),
     suppressed as (
       insert into contacts.suppressions (workspace_id, id, contact_id, scope, audience_id, reason, source, actor)
       select workspace_id, gen_random_uuid(), id, 'audience', $2::uuid, 'manual', 'test', 'test' from people where n % 4 = 0)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_changed_at)
     select workspace_id, $2::uuid, id, true, 'granted', now() from people`,
    [workspaceId, audienceId, count],
  )
  return audienceId
}

/** The verdicts of the audience have all reasons, and no table was read once for each member. */
async function expectReadFewTimes(workspaceId: string, audienceId: string, size: number) {
  await endSessions(s.stage)
  const before = await rowsRead()
  const verdicts = (await collect([audienceId], s.as(workspaceId))).flat()
  expect(verdicts.filter(({ reasons }) => reasons.length > 0)).toHaveLength(size / 4)
  // A session reports what it read within a second after its transaction.
  const after = await until(async () => {
    const now = await rowsRead()
    return now['memberships']! - before['memberships']! >= size && now
  })
  for (const [table, read] of Object.entries(after))
    expect({ table, read: read - before[table]! < size * 10 }).toEqual({ table, read: true })
}

test('the verdicts in a database without any statistics read each row a few times, not once for each member', async () => {
  const workspaceId = await s.workspace()
  const audienceId = await fillAudience(workspaceId, 4_000)
  expect(
    await s.stage.query("select 1 from pg_stats where schemaname = 'contacts' and tablename = any($1)", [tables]),
  ).toEqual([])
  await expectReadFewTimes(workspaceId, audienceId, 4_000)
})

test('the verdicts of a workspace that the statistics do not know read each row a few times, not once for each member', async () => {
  await fillAudience(await s.workspace(), 4_000)
  await s.stage.query('analyze contacts.contacts, contacts.memberships, contacts.suppressions')
  const workspaceId = await s.workspace()
  await expectReadFewTimes(workspaceId, await fillAudience(workspaceId, 4_000), 4_000)
})
