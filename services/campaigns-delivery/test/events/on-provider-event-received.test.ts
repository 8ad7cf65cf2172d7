import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { MessageAcceptedSchema, MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until, type Stage } from '@lettergate/stage'
import { at, openEvents, type EventsStage, type ReportedEvent } from '../events-stage.ts'
import { insertFacts } from '../message-rows.ts'

let stage: Stage
let { handedOver, say, report, eventsOf, workspaceId } = {} as EventsStage

beforeAll(async () => {
  ;({ stage, handedOver, say, report, eventsOf, workspaceId } = await openEvents())
})
afterAll(() => stage.close())
beforeEach(() => stage.query('delete from campaigns.outbox'))

const announced = async <T>(event: string, read: (payload: Buffer) => T) =>
  (
    await stage.query<{ payload: Buffer }>(`select payload from campaigns.outbox where event = $1 order by id`, [event])
  ).map(({ payload }) => read(payload))
const settled = async () =>
  (await announced('message_settled', (payload) => fromBinary(MessageSettledSchema, payload))).flatMap(
    ({ messages }) => messages,
  )
test('1,000 messages with the same events in 1,000 orders, some repeated, get the same result, and each fact is published once', async () => {
  const { runId, messageIds } = await handedOver(1_000)
  const reported: ReportedEvent[] = [
    { event: 'accepted', second: 1 },
    { event: 'failed', severity: 'temporary', second: 2 },
    { event: 'delivered', second: 3 },
    { event: 'opened', second: 4 },
    { event: 'opened', second: 9 },
    { event: 'clicked', second: 5 },
    { event: 'complained', second: 6 },
    { event: 'unsubscribed', second: 7 },
    { event: 'failed', severity: 'permanent', reason: 'bounce', second: 8 },
  ]
  const all = messageIds.flatMap((id) => reported.map((item) => ({ id, item, eventId: newId() })))
  const order = [...all, ...all.slice(0, 500)]
    .map((each) => ({ each, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
  for (let start = 0; start < order.length; start += 250) {
    await Promise.all(
      order.slice(start, start + 250).map(({ each: { id, item, eventId } }) => say(id, item, { id: eventId })),
    )
  }
  await until(async () => (await eventsOf(runId)) === all.length, {
    what: 'every event to count once',
  })

  const distinct = await stage.query(
    `select fact, at, count(distinct message_id)::int as messages from (
       select message_id, fact, min(at) as at from campaigns.message_facts where origin_id = $1 group by 1, 2) as known group by 1, 2 order by at`,
    [runId],
  )
  const facts = [
    'accepted',
    'soft_failed',
    'delivered',
    'opened',
    'clicked',
    'complained',
    'unsubscribed',
    'hard_bounced',
  ]
  expect(distinct).toEqual(facts.map((fact, index) => ({ fact, at: at(index + 1), messages: 1_000 })))
  expect(await report(runId)).toMatchObject({
    sent: 1_000,
    hardBounced: 1_000,
    delivered: 0,
    softFailedOnly: 0,
    noTerminalEvent: 0,
    openedRecipients: 1_000,
    complained: 1_000,
    bounceRate: 100,
  })
  const published = (await settled()).map(({ messageId, fact }) => `${messageId} ${fact}`)
  expect(new Set(published).size).toBe(3 * 1_000)
  expect(published).toHaveLength(3 * 1_000)
})

test('an event that is delivered again counts once, whether it added a fact or not; only one without a fact has an inbox row', async () => {
  const { runId, messageIds } = await handedOver(1)
  const [messageId] = messageIds as [string]
  const openings = [5, 3, 4].map((second) => ({ second, id: newId() }))
  const sayAll = () =>
    Promise.all(openings.map(({ second, id }) => say(messageId, { event: 'opened', second }, { id })))
  await Promise.all([sayAll(), sayAll()])
  await until(async () => (await eventsOf(runId)) === 3)
  await sayAll()
  await say(messageId, { event: 'clicked', second: 9 })
  await until(async () => (await report(runId)).clickedRecipients === 1)
  expect(await report(runId)).toMatchObject({ openedRecipients: 1, events: { opened: 3, clicked: 1 } })
  const known = await stage.query<{ id: string; is_fact: boolean }>(
    `select event_id as id, true as is_fact from campaigns.message_facts where message_id = $1 and fact = 'opened'
     union all select event_id, false from campaigns.inbox where consumer = 'on-provider-event-received' and event_id = any($2)`,
    [messageId, openings.map(({ id }) => id)],
  )
  expect(known.map(({ id }) => id).sort()).toEqual(openings.map(({ id }) => id).sort())
  expect(known.some(({ is_fact }) => is_fact)).toBe(true)
})

describe('an event before our own record of the hand-off', () => {
  test.each(['claimed', 'unknown'] as const)(
    'settles a %s message as accepted, and publishes it once',
    async (state) => {
      const { runId, handOffId, messageIds } = await handedOver(2, state)
      await say(messageIds[0]!, { event: 'delivered', second: 1 })
      await until(async () => (await eventsOf(runId)) === 1)
      expect(await report(runId)).toMatchObject({ sent: 1, delivered: 1, unknown: state === 'unknown' ? 1 : 0 })
      const stateOf = async () =>
        (await stage.query<{ state: string }>('select state from campaigns.hand_offs where id = $1', [handOffId]))[0]!
          .state
      await say(messageIds[1]!, { event: 'failed', severity: 'permanent', reason: 'bounce', second: 1 })
      await until(async () => (await stateOf()) === 'accepted', { what: 'the hand-off to be proven' })
      await say(messageIds[0]!, { event: 'opened', second: 2 })
      await until(async () => (await eventsOf(runId)) === 3)
      const accepted = (
        await announced('message_accepted', (payload) => fromBinary(MessageAcceptedSchema, payload))
      ).flatMap(({ recipients }) => recipients.map(({ messageId }) => messageId))
      expect(accepted.sort()).toEqual([...messageIds].sort())
    },
  )
})

test('a hand-off without an answer is accepted when events of all its messages arrive at the same time', async () => {
  for (let time = 0; time < 5; time += 1) {
    const { runId, handOffId, messageIds } = await handedOver(40, 'unknown')
    await Promise.all(messageIds.map((id) => say(id, { event: 'delivered', second: 1 })))
    await until(async () => (await eventsOf(runId)) === 40)
    const [handOff] = await stage.query('select state, reason from campaigns.hand_offs where id = $1', [handOffId])
    expect(handOff).toEqual({ state: 'accepted', reason: 'proven_by_events' })
    expect(await report(runId)).toMatchObject({ sent: 40, delivered: 40, unknown: 0 })
  }
})

test('a fact that another writer appended is in the tallies too', async () => {
  const { runId, messageIds } = await handedOver(2)
  await say(messageIds[0]!, { event: 'delivered', second: 1 })
  await until(async () => (await eventsOf(runId)) === 1)
  for (const messageId of messageIds)
    await insertFacts(stage, { workspaceId, originId: runId, messageId }, [{ fact: 'delivered', at: at(9) }])
  expect(await report(runId)).toMatchObject({ delivered: 2, noTerminalEvent: 0 })
})

test("the provider's own suppression counts as bounced and is not published", async () => {
  const { runId, messageIds } = await handedOver(1)
  await say(messageIds[0]!, { event: 'failed', severity: 'permanent', reason: 'suppress-bounce', second: 1 })
  await until(async () => (await eventsOf(runId)) === 1)
  expect(await report(runId)).toMatchObject({ sent: 1, hardBounced: 1 })
  expect(await settled()).toEqual([])
})

test('an event about a message of another workspace, or an unknown message, changes nothing', async () => {
  const { runId, messageIds } = await handedOver(1)
  await say(messageIds[0]!, { event: 'delivered', second: 1 }, { from: newId() })
  await say(newId(), { event: 'delivered', second: 1 })
  await say(messageIds[0]!, { event: 'opened', second: 2 })
  await until(async () => (await eventsOf(runId)) === 1)
  expect(await report(runId)).toMatchObject({
    sent: 1,
    delivered: 0,
    openedRecipients: 1,
    events: { delivered: 0, opened: 1 },
  })
})

describe('a replay', () => {
  const soon = new Date(Date.UTC(2026, 10, 22))

  test('of a handled event changes nothing, however often and in whatever order it arrives', async () => {
    const { runId, messageIds } = await handedOver(1)
    const [id, later, complaint] = [newId(), newId(), newId()]
    await say(messageIds[0]!, { event: 'opened', second: 1 }, { id })
    await until(async () => (await eventsOf(runId)) === 1)
    for (let time = 0; time < 3; time += 1)
      await say(messageIds[0]!, { event: 'opened', second: 1 }, { id, replayedAt: soon })
    // this replay arrived before its own first event
    await say(messageIds[0]!, { event: 'delivered', second: 2 }, { id: later, replayedAt: soon })
    await say(messageIds[0]!, { event: 'delivered', second: 2 }, { id: later })
    for (let time = 0; time < 2; time += 1)
      await say(messageIds[0]!, { event: 'complained', second: 4 }, { id: complaint, replayedAt: soon })
    await say(messageIds[0]!, { event: 'clicked', second: 3 })
    await until(async () => (await report(runId)).clickedRecipients === 1)
    expect(await report(runId)).toMatchObject({
      openedRecipients: 1,
      delivered: 1,
      events: { opened: 1, delivered: 1, clicked: 1 },
    })
    await say(messageIds[0]!, { event: 'complained', second: 4 }, { id: complaint })
    await until(async () => (await report(runId)).complained === 1)
    expect((await settled()).map(({ fact }) => fact)).toEqual(['complained'])
  })

  test('of a lost event is counted; of an event older than the inbox it adds facts without counting', async () => {
    const { runId, messageIds } = await handedOver(2)
    await say(messageIds[0]!, { event: 'complained', second: 1 }, { replayedAt: soon })
    await say(messageIds[1]!, { event: 'complained', second: 1 }, { replayedAt: new Date(Date.UTC(2026, 11, 21)) })
    await until(async () => (await report(runId)).complained === 2)
    expect(await report(runId)).toMatchObject({ complained: 2, events: { complained: 1 } })
  })
})
