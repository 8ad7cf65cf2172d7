import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audience: string
/** Much more than the buffers between the transaction and an inactive reader can hold. */
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
})
afterAll(() => s.close())

const open = () => s.contacts.streamAudienceVerdicts(s.us, { audienceIds: [audience] })[Symbol.asyncIterator]()
const openTransactions = async () =>
  (
    await s.stage.query(
      "select 1 from pg_stat_activity where datname = current_database() and usename = 'contacts' and xact_start is not null",
    )
  ).length

test('ten unread audience streams do not block unsubscribes, eligibility queries or consent proofs', async () => {
  const contact = await s.contact()
  const monthly = await s.audience()
  await s.subscribe(contact, monthly)
  const streams = Array.from({ length: 10 }, open)
  const begun = await Promise.allSettled(streams.map((stream) => stream.next()))
  // Two of four connections are reserved for exports; a stream without a free slot is refused as unavailable.
  expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const result of begun)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'unavailable', reason: 'audience_streams' })
  expect(await openTransactions()).toBeGreaterThanOrEqual(2)

  expect(await s.reasons(contact, monthly)).toEqual([])
  const { unsubscribed } = await s.contacts.unsubscribeContact(s.us, { contactId: contact, audienceId: monthly })
  expect(unsubscribed).toBe(true)
  expect(await s.reasons(contact, monthly)).toContain('consent_withdrawn')
  const { proof } = await s.contacts.getConsentProof(s.us, { contactId: contact })
  expect(proof).toBeDefined()
  expect(await openTransactions()).toBeGreaterThanOrEqual(2)

  for (const stream of streams) await stream.return?.()
  await until(async () => (await openTransactions()) === 0)
  const next = open()
  expect((await next.next()).done).toBe(false)
  await next.return?.()
})
