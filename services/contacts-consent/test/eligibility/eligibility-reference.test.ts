import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newId } from '@lettergate/database'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newWorld, type RunningWorld } from './eligibility-world.ts'
import {
  expectedReasons,
  expectedReasonsOfAll,
  isMember,
  isMissing,
  isRefused,
  lifeOf,
  type ContactFact,
  type Fact,
  type World,
  type WorldFact,
} from './reference-model.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const contactCount = 24
const intervals = [0, 0, 0, 0, 0, 3_600, 3_600, 3_600, 3_600, 86_400, 86_400, 86_400, 86_400, 600_000, 600_000, 600_000]
const roundCount = 22
const worldCount = 15
const statesMin = 100_000

const audience = fc.nat({ max: intervals.length - 1 })
const scope = fc.constantFrom('audience', 'workspace', 'platform')
const reason = fc.constantFrom('hard_bounce', 'complaint', 'unsubscribe', 'manual', 'legal')
const of = <R extends object>(is: Fact['is'], rest: R) => fc.record({ is: fc.constant(is), ...rest } as never)

/** The actions on one contact in one round. */
const contactFact = fc.oneof(
  { weight: 12, arbitrary: of('subscribed', { audience }) },
  { weight: 4, arbitrary: of('unsubscribed', { audience, by: fc.constantFrom('operator', 'link', 'provider') }) },
  { weight: 1, arbitrary: of('left the workspace', {}) },
  { weight: 1, arbitrary: of('removed from the audience', { audience }) },
  { weight: 4, arbitrary: of('suppressed', { audience, scope, reason }) },
  { weight: 1, arbitrary: fc.constantFrom(...(['bounced', 'complained'] as const)).chain((is) => of(is, {})) },
  { weight: 5, arbitrary: of('resolved', { scope: fc.constant('every'), audience, reason: fc.constant('every') }) },
  { weight: 2, arbitrary: of('resolved', { scope, audience, reason }) },
  { weight: 1, arbitrary: of('suppressed elsewhere', {}) },
  { weight: 1, arbitrary: of('resolved elsewhere', {}) },
  { weight: 5, arbitrary: of('handed off', { audience, secondsAgo: fc.constantFrom(60, 4_000, 100_000) }) },
  { weight: 4, arbitrary: of('handed in by a source', { audience, isOld: fc.boolean() }) },
  { weight: 2, arbitrary: of('classified', { grade: fc.constantFrom('documented', 'partial', 'undocumented', null) }) },
  { weight: 1, arbitrary: of('deleted', {}) },
) as fc.Arbitrary<ContactFact>

/** Occasional actions on all contacts. */
const worldFact = fc.oneof(
  { weight: 2, arbitrary: of('audience archived', { audience }) },
  { weight: 3, arbitrary: of('workspace archived', { archived: fc.boolean() }) },
  { weight: 4, arbitrary: of('time passed', { seconds: fc.constantFrom(3_000, 50_000) }) },
) as fc.Arbitrary<WorldFact>

const round = fc.record({
  toAll: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: worldFact }),
  toEach: fc.array(contactFact, { minLength: contactCount, maxLength: contactCount }),
  pairs: fc.array(fc.tuple(fc.nat({ max: contactCount - 1 }), audience), { minLength: 10, maxLength: 10 }),
  order: fc.shuffledSubarray([...intervals.keys()], { minLength: 1 }),
})
type Round = typeof round extends fc.Arbitrary<infer R> ? R : never

/** Digests of all that ever happened to the contact of a compared question, and of the question. */
const states = new Set<string>()
const reasonLists = new Set<string>()

/** A state counts once, however often it comes about again in some world. */
function count(world: World, contact: number, told: readonly (readonly string[])[]): void {
  const life = contact < world.contacts ? lifeOf(world.history, contact) : 'nobody'
  const digest = createHash('sha1')
    .update(JSON.stringify(life, (key, value: unknown) => (key === 'contact' ? undefined : value)))
    .digest('base64')
  for (const [audienceNumber, reasons] of told.entries()) {
    states.add(`${digest} ${audienceNumber}`)
    reasonLists.add(reasons.join())
  }
}

async function happen(running: RunningWorld, world: World & { history: Fact[] }, { toAll, toEach }: Round) {
  if (toAll) {
    await running.happen(toAll)
    world.history.push(toAll)
  }
  // Contacts are independent, so their actions run concurrently.
  const facts = toEach.map((fact, contact): ContactFact =>
    isMissing(world, contact) ? { is: 'created', contact } : { ...fact, contact },
  )
  const events = await Promise.all(
    facts.map(async (fact) => {
      if (!isRefused(world, fact)) return running.happen(fact)
      await expect(running.happen(fact)).rejects.toMatchObject({ code: 'failed_precondition' })
      return []
    }),
  )
  await running.arrived(events.flat())
  world.history.push(...facts.filter((fact) => !isRefused(world, fact)))
}

/** Every pair in one batch, including an unknown contact, and some pairs alone, concurrently. */
async function compareVerdicts(running: RunningWorld, world: World, pairs: Round['pairs']) {
  const everybody = [...running.contacts, newId()]
  const questions = everybody.flatMap((contactId) => running.audiences.map((audienceId) => ({ contactId, audienceId })))
  const [{ recipients }, singles] = await Promise.all([
    s.contacts.prepareRecipients(running.us, { recipients: questions }),
    Promise.all(
      pairs.map(([n, a]) =>
        s
          .reasons(running.contacts[n]!, running.audiences[a]!, running.us)
          .catch((error: { code?: string }) => error.code),
      ),
    ),
  ])
  for (const n of everybody.keys()) {
    const expected = expectedReasonsOfAll(world, n, [...intervals.keys()])
    const told = recipients.slice(n * intervals.length, (n + 1) * intervals.length).map(({ reasons }) => reasons)
    // Deep equality of a hundred thousand equal lists takes longer than all the questions.
    if (JSON.stringify(told) !== JSON.stringify(expected)) {
      const life = lifeOf(world.history, n)
      expect({ life, told }).toEqual({ life, told: expected })
    }
    count(world, n, told)
  }
  expect(singles).toEqual(pairs.map(([n, a]) => (isMissing(world, n) ? 'not_found' : expectedReasons(world, n, a))))
}

/** The stream has every active member once: under the first audience that allows it, or else under its first audience. */
async function compareStream(running: RunningWorld, world: World, order: readonly number[]) {
  const told: unknown[] = []
  const audienceIds = order.map((a) => running.audiences[a]!)
  for await (const { verdicts } of s.contacts.streamAudienceVerdicts(running.us, { audienceIds })) {
    told.push(
      ...verdicts.map(({ contactId, audienceId, reasons }) => [
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
}

test('every verdict (single, batch or stream) equals the verdict of a simple evaluation of the whole history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: roundCount, maxLength: roundCount }), async (rounds) => {
      const running = await newWorld(s, { contacts: contactCount, intervals })
      const world = { history: [] as Fact[], contacts: contactCount, intervals }
      for (const [index, each] of rounds.entries()) {
        await happen(running, world, each)
        await compareVerdicts(running, world, each.pairs)
        if (index % 4 === 3) await compareStream(running, world, each.order)
      }
    }),
    { numRuns: worldCount, endOnFailure: true },
  )
  expect(states.size).toBeGreaterThanOrEqual(statesMin)
  expect(reasonLists.size).toBeGreaterThanOrEqual(200)
}, 600_000)
