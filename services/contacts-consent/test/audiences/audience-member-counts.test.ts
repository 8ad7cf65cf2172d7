import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let audiences: string[]
beforeAll(async () => {
  s = await openContacts()
  audiences = [await s.audience(), await s.audience(), await s.audience()]
})
afterAll(() => s.close())

/** The audiences of both tenants with different stored and counted numbers. */
async function disagreements() {
  return s.stage.query(
    `select a.id, coalesce(kept.members, 0)::int as kept, coalesce(real.members, 0)::int as real
       from contacts.audiences a
       left join (select audience_id, sum(members) as members from contacts.audience_member_counts group by 1) kept on kept.audience_id = a.id
       left join (select audience_id, count(*) as members from contacts.memberships where is_active group by 1) real on real.audience_id = a.id
      where coalesce(kept.members, 0) <> coalesce(real.members, 0)`,
  )
}

/** Members written straight into the table, as a set-based job does. */
const join = (audience: string, contacts: readonly string[], isActive: boolean) =>
  s.stage.query(
    `insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active)
     select $1, $2, id, $4 from contacts.contacts where id = any($3::uuid[]) order by id
     on conflict (workspace_id, audience_id, contact_id) do update set is_active = excluded.is_active`,
    [s.ours, audience, contacts, isActive],
  )

type Step = { kind: 'subscribe' | 'unsubscribe' | 'withdraw' | 'delete' | 'join' | 'leave'; who: number; where: number }

test('the stored count equals the counted members after any order of subscribes, withdrawals, deletions and batches', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('subscribe', 'subscribe', 'unsubscribe', 'withdraw', 'delete', 'join', 'leave'),
    who: fc.nat(7),
    where: fc.nat(2),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const people = await Promise.all(Array.from({ length: 8 }, () => s.contact()))
      const carryOut = async ({ kind, who, where }: Step) => {
        const [contactId, audienceId] = [people[who]!, audiences[where]!]
        if (kind === 'subscribe') return s.subscribe(contactId, audienceId)
        if (kind === 'unsubscribe') return s.contacts.unsubscribeContact(s.us, { contactId, audienceId })
        if (kind === 'delete') return s.contacts.deleteContact(s.us, { contactId })
        if (kind !== 'withdraw') return join(audienceId, people, kind === 'join')
        const { oneClickUrl } = await s.contacts.createPreferenceToken(s.us, { contactId, scope: 'workspace' })
        return s.contacts.usePreferenceLink(s.us, { token: oneClickUrl.split('/').at(-1)!, via: 'one_click' })
      }
      // Those of one half at once, then the other half at once: refusals and deadlocks of the raw batches are part of it.
      const half = Math.ceil(steps.length / 2)
      await Promise.allSettled(steps.slice(0, half).map(carryOut))
      await Promise.allSettled(steps.slice(half).map(carryOut))
      expect(await disagreements()).toEqual([])
    }),
    { numRuns: 25 },
  )
  const [some] = await s.stage.query<{ members: string }>(
    'select sum(members) as members from contacts.audience_member_counts',
  )
  expect(Number(some!.members)).toBeGreaterThan(0)
})

test('a count has at most sixteen rows, and concurrent sessions write different rows', async () => {
  const people = await Promise.all(Array.from({ length: 60 }, () => s.contact()))
  await Promise.all(people.map((contact) => s.subscribe(contact, audiences[0]!)))
  const [found] = await s.stage.query<{ slots: string }>(
    'select count(*) as slots from contacts.audience_member_counts where audience_id = $1',
    [audiences[0]],
  )
  expect(Number(found!.slots)).toBeGreaterThan(1)
  expect(Number(found!.slots)).toBeLessThanOrEqual(16)
  expect(await disagreements()).toEqual([])
})

test('the migration counts existing members', async () => {
  const [contact, audience] = [await s.contact(), await s.audience()]
  await s.subscribe(contact, audience)
  const { AudienceMemberCounts } = await import('../../src/db/migrations/004-audience-member-counts.ts')
  const statements: string[] = []
  AudienceMemberCounts.prototype.up.call({ addSql: (statement: string) => statements.push(statement) } as never)
  await s.stage.query(
    [
      'begin',
      'set local search_path = contacts',
      'drop table audience_member_counts',
      'drop function count_audience_members cascade',
      ...statements,
      'commit',
    ].join(';\n'),
  )
  await s.stage.query('grant select on contacts.audience_member_counts to contacts')
  expect(await disagreements()).toEqual([])
  expect((await s.contacts.getAudience(s.us, { audienceId: audience })).audience!.activeMemberCount).toBe(1)
  await s.subscribe(await s.contact(), audience)
  expect((await s.contacts.getAudience(s.us, { audienceId: audience })).audience!.activeMemberCount).toBe(2)
})
