import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import type { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newImport, type FileRow } from './import-stage.ts'

let s: ContactsStage
let audience: string
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
})
afterAll(() => s.close())

let people = 0
const addresses = (count: number) => Array.from({ length: count }, () => `raced${(people += 1)}@example.com`)
const subscribedRows = (emails: readonly string[]): FileRow[] =>
  emails.map((email, n) => ({ email, first_name: `Name ${n}`, tags: 'raced', status: 'subscribed' }))
const idsOf = async (emails: readonly string[]) =>
  new Map(
    (
      await s.stage.query<{ id: string; normalized_email: string }>(
        'select id, normalized_email from contacts.contacts where workspace_id = $1 and normalized_email = any($2)',
        [s.ours, emails],
      )
    ).map((one) => [one.normalized_email, one.id]),
  )
const counted = async (text: string, ...params: unknown[]) => (await s.stage.query<{ n: number }>(text, params))[0]!.n

test('concurrent copies of a batch apply each row once and answer the same', async () => {
  const own = newImport(s, audience)
  const rows: FileRow[] = [
    ...subscribedRows(addresses(150)),
    ...addresses(50).map((email, n) => ({ email, status: n % 2 === 0 ? 'unsubscribed' : 'suppressed' })),
    { email: 'not an address', status: 'subscribed' },
  ]
  const answers = await Promise.all(Array.from({ length: 4 }, () => own.apply(rows)))
  for (const answer of answers) expect(answer).toEqual(answers[0])
  const ids = [...(await idsOf(rows.map(({ email }) => email))).values()]
  expect(ids).toHaveLength(200)
  expect(await counted('select count(*)::int as n from contacts.consent_events where contact_id = any($1)', ids)).toBe(
    200,
  )
  expect(
    await counted('select count(*)::int as n from contacts.contact_provenance where contact_id = any($1)', ids),
  ).toBe(200)
  expect(
    await counted('select count(*)::int as n from contacts.import_rows where import_id = $1', own.plan.importId),
  ).toBe(201)
})

test('batches with the same people in another order do not wait for each other in a circle', async () => {
  const emails = addresses(300)
  await newImport(s, audience).apply(subscribedRows(emails.slice(0, 150)))
  const shuffled = (n: number) => emails.map((_, index) => emails[(index * 7 + n * 13) % emails.length]!)
  const deadlocks = () => counted('select deadlocks::int as n from pg_stat_database where datname = current_database()')
  const before = await deadlocks()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      newImport(s, audience).apply(
        n % 2 === 0 ? subscribedRows(shuffled(n)) : shuffled(n).map((email) => ({ email, tags: `t${n}` })),
      ),
    ),
  )
  expect(answers.flat().every((text) => /^(consent_recorded|already_subscribed|needs_review) /.test(text))).toBe(true)
  expect(await deadlocks()).toBe(before)
  expect((await idsOf(emails)).size).toBe(300)
})

test('a person who leaves, is suppressed or erased while batches run stays refused, and every other writer gets through', async () => {
  const emails = addresses(240)
  await newImport(s, audience).apply(subscribedRows(emails))
  const ids = await idsOf(emails)
  const of = (from: number, to: number) => emails.slice(from, to).map((email) => ids.get(email)!)
  const left = of(0, 20)
  const suppressed = of(20, 40)
  const erased = of(40, 60)
  const upserted = emails.slice(60, 80)
  const resubscribed = of(80, 100)
  const oneByOne = async (work: readonly (() => Promise<unknown>)[]) => {
    for (const each of work) await patiently(each)
  }
  const { tags } = await s.contacts.listTags(s.us, {})
  const raced = tags.find(({ name }) => name === 'raced')!
  const other = (await s.contacts.registerTag(s.us, { name: 'merged-away' })).tag!

  await Promise.all([
    oneByOne(Array.from({ length: 6 }, () => () => newImport(s, audience).apply(subscribedRows(emails)))),
    oneByOne(
      Array.from(
        { length: 6 },
        () => () =>
          newImport(s, audience).apply(
            emails.toReversed().map((email) => ({ email, tags: 'merged-away;raced', status: 'subscribed' })),
          ),
      ),
    ),
    oneByOne(left.map((contactId) => () => s.contacts.unsubscribeContact(s.us, { contactId, audienceId: audience }))),
    oneByOne(
      suppressed.map(
        (contactId) => () => s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' }),
      ),
    ),
    oneByOne(erased.map((contactId) => () => s.erase(contactId))),
    oneByOne(upserted.map((email) => () => s.contacts.upsertContact(s.us, { email, source: 'crm', tags: ['raced'] }))),
    oneByOne(resubscribed.map((contactId) => () => s.subscribe(contactId, audience))),
    oneByOne([
      () => s.contacts.renameTag(s.us, { tagId: raced.id, name: 'renamed' }),
      () => s.contacts.mergeTag(s.us, { tagId: other.id, into: 'renamed' }),
    ]),
  ])

  for (const contactId of left) expect(await s.reasons(contactId, audience)).toContain('consent_withdrawn')
  for (const contactId of suppressed) expect(await s.reasons(contactId, audience)).toContain('suppressed_workspace')
  const now = await idsOf(emails)
  for (const email of emails.slice(40, 60)) expect(now.has(email)).toBe(false)
  for (const contactId of resubscribed) expect(await s.reasons(contactId, audience)).toEqual([])

  const active = await counted(
    'select count(*)::int as n from contacts.memberships where audience_id = $1 and is_active',
    audience,
  )
  expect((await s.contacts.getAudience(s.us, { audienceId: audience })).audience!.activeMemberCount).toBe(active)
  for (const tag of (await s.contacts.listTags(s.us, {})).tags) {
    expect([tag.name, tag.contactCount]).toEqual([
      tag.name,
      await counted('select count(*)::int as n from contacts.contact_tags where tag_id = $1', tag.id),
    ])
  }
})

test('a person who is erased while their row is applied is gone, or refused', async () => {
  for (let round = 0; round < 8; round += 1) {
    const [email] = addresses(1)
    const contactId = await s.contact(s.us, email)
    const [[told]] = await Promise.all([
      newImport(s, audience).apply(subscribedRows([email!])),
      patiently(() => s.erase(contactId)),
    ])
    expect(['consent_recorded existing', 'blocked_by_suppression none erased']).toContain(told)
    expect((await idsOf([email!])).size).toBe(0)
    expect(await newImport(s, audience).apply(subscribedRows([email!]))).toEqual(['blocked_by_suppression none erased'])
  }
})

test('an address that an upsert and an import create at the same moment is one contact', async () => {
  const emails = addresses(30)
  await Promise.all([
    newImport(s, audience).apply(subscribedRows(emails)),
    ...emails.map((email) =>
      patiently(() => s.contacts.upsertContact(s.us, { email, source: 'crm', lastName: 'Upserted' })),
    ),
  ])
  const ids = await idsOf(emails)
  expect(ids.size).toBe(30)
  for (const id of ids.values()) expect(await s.reasons(id, audience)).toEqual([])
})

/** A row is applied while the suppression of its contact is being resolved. Answers the refusal, and the result when it is sent again. */
async function appliedWhileResolved(tag: string) {
  const [email] = addresses(1)
  const contactId = await s.contact(s.us, email)
  await s.contacts.suppressContact(s.us, { contactId, scope: 'workspace', reason: 'manual' })
  const holder = new pg.Client({ connectionString: s.stage.adminUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from contacts.contacts where id = $1 for update', [contactId])
    await holder.query(
      `update contacts.suppressions set resolved_at = now(), resolved_by = 'test', resolution_reason = 'test' where contact_id = $1`,
      [contactId],
    )
    const file = newImport(s, audience)
    const rows: FileRow[] = [{ email: email!, tags: tag, status: 'subscribed' }]
    let isEnded = false
    const first = file
      .applyOnce(rows)
      .catch((error: unknown) => error)
      .finally(() => (isEnded = true))
    const waiting = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(async () => isEnded || (await counted(waiting)) > 0, { what: 'the apply to wait for the contact' })
    await holder.query('commit')
    return { refusal: (await first) as Fault, again: await file.apply(rows) }
  } finally {
    await holder.end()
  }
}

test('a row that adds a new tag only since a suppression was resolved at the same moment is sent again', async () => {
  let found: Awaited<ReturnType<typeof appliedWhileResolved>>
  let races = 0
  // On a busy machine an apply may give up waiting for the contact before the suppression is resolved.
  do found = await appliedWhileResolved(`after resolution ${(races += 1)}`)
  while (found.refusal.reason === 'busy' && races < 20)
  expect(found).toMatchObject({
    refusal: { code: 'unavailable', reason: 'rows_changed' },
    again: ['consent_recorded existing'],
  })
})
