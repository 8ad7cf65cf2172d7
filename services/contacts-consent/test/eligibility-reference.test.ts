import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from './contacts-stage.ts'
import { expectedReasons, isMember, refusesSubscribe, type Fact, type World } from './reference-model.ts'

let s: ContactsStage
let states = 0
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const contactCount = 6
const intervals = [0, 3_600, 86_400]
const contact = fc.nat({ max: contactCount - 1 })
const audience = fc.nat({ max: intervals.length - 1 })
const of = <T extends Fact['is'], R extends object>(is: T, rest: R) =>
  fc.record({ is: fc.constant(is), ...rest } as never) as fc.Arbitrary<Fact>

const fact: fc.Arbitrary<Fact> = fc.oneof(
  { weight: 8, arbitrary: of('subscribed', { contact, audience }) },
  { weight: 3, arbitrary: of('unsubscribed', { contact, audience }) },
  { weight: 1, arbitrary: of('left the workspace', { contact }) },
  {
    weight: 3,
    arbitrary: of('suppressed', {
      contact,
      audience,
      scope: fc.constantFrom('audience', 'workspace', 'platform'),
      reason: fc.constantFrom('hard_bounce', 'complaint', 'unsubscribe', 'manual', 'legal'),
    }),
  },
  { weight: 6, arbitrary: of('resolved', { contact }) },
  { weight: 1, arbitrary: of('suppressed elsewhere', { contact }) },
  { weight: 3, arbitrary: of('handed off', { contact, audience, secondsAgo: fc.constantFrom(60, 4_000, 100_000) }) },
  { weight: 1, arbitrary: of('put under review', { contact, audience }) },
  {
    weight: 2,
    arbitrary: of('classified', { contact, grade: fc.constantFrom('documented', 'partial', 'undocumented', null) }),
  },
  { weight: 1, arbitrary: of('audience archived', { audience }) },
  { weight: 1, arbitrary: of('workspace archived', { archived: fc.boolean() }) },
)

const evidences = {
  documented: { captured_at: '2019-05-01', source: 'fair', wording: 'yes' },
  partial: { source: 'fair' },
  undocumented: {},
}

/** A fresh workspace in which facts are made true through the service, or in the database where no operation exists yet. */
async function newWorld() {
  const workspaceId = await s.workspace()
  const us = s.as(workspaceId)
  const mark = newId()
  const emailOf = (n: number) => `${mark}.${n}@example.com`
  const contacts = await Promise.all(Array.from({ length: contactCount }, (_, n) => s.contact(us, emailOf(n))))
  const audiences = await Promise.all(intervals.map((seconds) => s.audience(us, seconds)))
  const membership = (n: number, a: number, change: string, ...params: unknown[]) =>
    s.stage.query(`update contacts.memberships set ${change} where contact_id = $1 and audience_id = $2`, [
      contacts[n],
      audiences[a],
      ...params,
    ])

  async function happen(fact: Fact): Promise<void> {
    switch (fact.is) {
      case 'subscribed':
        return void (await s.subscribe(contacts[fact.contact]!, audiences[fact.audience]!, us))
      case 'unsubscribed':
        return void (await s.contacts.unsubscribeContact(us, {
          contactId: contacts[fact.contact]!,
          audienceId: audiences[fact.audience]!,
        }))
      case 'left the workspace': {
        const { preferenceUrl } = await s.contacts.createPreferenceToken(us, {
          contactId: contacts[fact.contact]!,
          scope: 'workspace',
        })
        return void (await s.contacts.usePreferenceLink(s.stage.caller({}), {
          token: preferenceUrl.split('/').at(-1)!,
          via: 'one_click',
        }))
      }
      case 'suppressed': {
        const scoped = fact.scope === 'audience' ? { audienceId: audiences[fact.audience]! } : {}
        return void (await s.contacts.suppressContact(us, {
          contactId: contacts[fact.contact]!,
          scope: fact.scope,
          reason: fact.reason,
          ...scoped,
        }))
      }
      case 'resolved': {
        const resolved = await s.stage.query<{ id: string }>(
          `update contacts.suppressions set resolved_at = now(), resolution_reason = 'test' where contact_id = $1 and resolved_at is null returning id`,
          [contacts[fact.contact]],
        )
        return void (await s.stage.query(
          'update contacts.platform_suppressions set resolved_at = now() where id = any($1)',
          [resolved.map((one) => one.id)],
        ))
      }
      case 'suppressed elsewhere': {
        const there = await s.contact(s.them, emailOf(fact.contact))
        return void (await s.contacts.suppressContact(s.them, { contactId: there, scope: 'platform', reason: 'legal' }))
      }
      case 'handed off':
        return void (await membership(
          fact.contact,
          fact.audience,
          'last_handed_off_at = greatest(last_handed_off_at, now() - make_interval(secs => $3))',
          fact.secondsAgo,
        ))
      case 'put under review':
        return void (await membership(fact.contact, fact.audience, 'under_review_since = now()'))
      case 'classified': {
        const legacy =
          fact.grade === null ? { isLegacy: false } : { isLegacy: true, legacyConsentEvidence: evidences[fact.grade] }
        return void (await s.contacts.upsertContact(us, { email: emailOf(fact.contact), source: 'test', ...legacy }))
      }
      case 'audience archived':
        return void (await s.stage.query(
          'update contacts.audiences set archived_at = coalesce(archived_at, now()) where id = $1',
          [audiences[fact.audience]],
        ))
      case 'workspace archived':
        return void (await s.stage.query('update contacts.workspaces set is_archived = $2 where workspace_id = $1', [
          workspaceId,
          fact.archived,
        ]))
    }
  }
  return { us, contacts, audiences, happen }
}

type Running = Awaited<ReturnType<typeof newWorld>>

/** Every pair as a batch, a stranger among them, and one pair asked singly. */
async function compareVerdicts(running: Running, world: World, single: { contact: number; audience: number }) {
  const asked = [...running.contacts, newId()].flatMap((contactId, n) =>
    running.audiences.map((audienceId, a) => ({ contactId, audienceId, n, a })),
  )
  const { recipients } = await s.contacts.prepareRecipients(running.us, {
    recipients: asked.map(({ contactId, audienceId }) => ({ contactId, audienceId })),
  })
  const told = recipients.map((recipient) => recipient.reasons)
  expect(told).toEqual(asked.map(({ n, a }) => expectedReasons(world, n, a)))
  const one = await s.reasons(running.contacts[single.contact]!, running.audiences[single.audience]!, running.us)
  expect(one).toEqual(expectedReasons(world, single.contact, single.audience))
  states += asked.length + 1
}

/** The stream tells every active member once: under the first audience that allows it, else under its first one. */
async function compareStream(running: Running, world: World, order: readonly number[]) {
  const told: unknown[] = []
  for await (const batch of s.contacts.streamAudienceVerdicts(running.us, {
    audienceIds: order.map((a) => running.audiences[a]!),
  })) {
    told.push(
      ...batch.verdicts.map(({ contactId, audienceId, reasons }) => [
        running.contacts.indexOf(contactId),
        running.audiences.indexOf(audienceId),
        reasons,
      ]),
    )
  }
  const expected = running.contacts.flatMap((_, n) => {
    const memberOf = order.filter((a) => isMember(world, n, a))
    const under = memberOf.find((a) => expectedReasons(world, n, a).length === 0) ?? memberOf[0]
    return under === undefined ? [] : [[n, under, expectedReasons(world, n, under)]]
  })
  expect(told).toHaveLength(expected.length)
  expect(new Set(told)).toEqual(new Set(expected))
  states += expected.length
}

test('every verdict, single, in a batch or streamed, is what a slow reading of the whole history says', async () => {
  const order = fc.shuffledSubarray([0, 1, 2], { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fact, { minLength: 6, maxLength: 24 }),
      order,
      contact,
      audience,
      async (facts, asked, n, a) => {
        const running = await newWorld()
        const history: Fact[] = []
        const world = { history, contacts: contactCount, intervals }
        for (const [step, next] of facts.entries()) {
          const isRefused = next.is === 'subscribed' && refusesSubscribe(world, next.contact, next.audience)
          if (isRefused) await expect(running.happen(next)).rejects.toMatchObject({ code: 'failed_precondition' })
          else {
            await running.happen(next)
            history.push(next)
          }
          if (step % 2 === 1) await compareVerdicts(running, world, { contact: n, audience: a })
        }
        await compareVerdicts(running, world, { contact: n, audience: a })
        await compareStream(running, world, asked)
      },
    ),
    { numRuns: 25 },
  )
  expect(states).toBeGreaterThan(3_000)
}, 240_000)
