import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
/** Far more than fits in the buffers between a reader who does not read and the transaction. */
const members = 60_000

beforeAll(async () => {
  s = await openContacts({ DATABASE_POOL_MAX: '2', DATABASE_LONG_POOL_MAX: '4' })
  audience = await s.audience()
  await s.stage.query(
    `with made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select $1, gen_random_uuid(), 'm' || n || '@example.com', 'm' || n || '@example.com' from generate_series(1, ${members}) n returning id)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
     select $1, $2, id, true, 'granted' from made`,
    [s.ours, audience],
  )
}, 60_000)
afterAll(() => s.close())

const open = () => s.contacts.streamAudienceVerdicts(s.us, { audienceIds: [audience] })[Symbol.asyncIterator]()
const openTransactions = async () =>
  (
    await s.stage.query(
      "select 1 from pg_stat_activity where datname = current_database() and usename = 'contacts' and xact_start is not null",
    )
  ).length

test('ten audience streams that nobody reads keep no unsubscribe, no eligibility question and no consent proof waiting', async () => {
  const contact = await s.contact()
  const letters = await s.audience()
  await s.subscribe(contact, letters)
  const streams = Array.from({ length: 10 }, open)
  const begun = await Promise.allSettled(streams.map((stream) => stream.next()))
  // Two of four connections are left to exports; whoever finds no place is told to come back.
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const result of begun)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'unavailable', reason: 'audience_streams' })
  expect(await openTransactions()).toBeGreaterThanOrEqual(2)

  expect(await s.reasons(contact, letters)).toEqual([])
  const { unsubscribed } = await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: letters })
  expect(unsubscribed).toBe(true)
  expect(await s.reasons(contact, letters)).toContain('consent_withdrawn')
  const { proof } = await s.contacts.getConsentProof(s.us, { contactId: contact })
  expect(proof).toBeDefined()
  expect(await openTransactions()).toBeGreaterThanOrEqual(2)

  for (const stream of streams) await stream.return?.()
  await until(async () => (await openTransactions()) === 0)
  const next = open()
  expect((await next.next()).done).toBe(false)
  await next.return?.()
}, 60_000)
