import { randomUUID } from 'node:crypto'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { firstIdOf, newId } from '@lettergate/database'
import { patiently } from '@lettergate/stage/patiently'
import fc from 'fast-check'
import type { HandOffState } from '../../src/delivery/hand-off.entity.ts'
import { getSendingOverview } from '../../src/reports/get-sending-overview.ts'
import type { ReportedEvent } from '../events-stage.ts'
import { openFacts, type FactsStage, type RecipientBefore } from '../facts-stage.ts'
import { insertAutomationEmails, insertFacts, insertHandOff } from '../message-rows.ts'

/** `EVENT_ORDERS=1000` tries more histories. `SEED` chooses them. */
const histories = Number(process.env['EVENT_ORDERS'] ?? 30)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const hourMs = 3_600_000
const weekHours = 7 * 24

let s: FactsStage
beforeAll(async () => {
  s = await openFacts()
})
afterAll(() => s.close())

const idOf = (at: Date) => `${firstIdOf(at).slice(0, 24)}${randomUUID().slice(24)}`
const hoursAgo = (hours: number) => new Date(Date.now() - hours * hourMs)

const kinds: Omit<ReportedEvent, 'second'>[] = [
  { event: 'accepted' },
  { event: 'delivered' },
  { event: 'failed', severity: 'temporary' },
  { event: 'failed', severity: 'permanent', reason: 'bounce' },
  { event: 'failed', severity: 'permanent', reason: 'suppress-bounce' },
  { event: 'opened' },
]
const anyEvents = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), second: fc.integer({ min: 0, max: 600 }), isSeenTwice: fc.boolean() }),
  { maxLength: 4 },
)
const anyResult = fc.constantFrom<HandOffState>('claimed', 'accepted', 'accepted', 'unknown', 'failed', 'put_back')

/** Emails of automations in one call. Many of their steps began near the beginning of the 7 days. */
const anyCall = fc.record({
  hours: fc.oneof(
    fc.double({ min: 0, max: 8 * 24, noNaN: true }),
    fc.double({ min: weekHours - 1.2, max: weekHours + 0.2, noNaN: true }),
  ),
  result: anyResult,
  isSentAgain: fc.boolean(),
  emails: fc.array(anyEvents, { minLength: 1, maxLength: 3 }),
})
/** A run, with the age of its hand-offs and its own. */
const anyRun = fc.record({
  hours: fc.constantFrom(1, 100, weekHours + 24),
  startedHours: fc.constantFrom(2, weekHours + 25),
  recipients: fc.array(
    fc.record({
      batch: fc.integer({ min: 1, max: 3 }),
      state: fc.constantFrom<RecipientBefore['state']>(
        'accepted',
        'accepted',
        'claimed',
        'unknown',
        'failed',
        undefined,
      ),
      putBacks: fc.integer({ min: 0, max: 2 }),
      events: anyEvents,
    }),
    { minLength: 1, maxLength: 6 },
  ),
})

/** What the totals are by the stored hand-offs and facts. */
const fromScratch = `
  with messages as (
    select id, automation_id as origin_id, 'automations' as part from campaigns.automation_emails where id >= $1
    union all
    select r.id, r.run_id, 'campaigns' from campaigns.run_recipients r join campaigns.campaign_runs c on c.id = r.run_id
     where c.started_at >= $2
        or exists (select from campaigns.hand_offs h where h.origin_id = r.run_id and h.id >= $1 and r.id = any(h.message_ids))),
  known as (
    select m.part, k.delivered, k.bounced,
           k.delivered is not null or exists (select from campaigns.hand_offs h where h.origin_id = m.origin_id and h.state = 'accepted' and m.id = any(h.message_ids)) as sent
      from messages m cross join lateral (
        select bool_or(fact = 'delivered') as delivered, bool_or(fact in ('hard_bounced', 'provider_suppressed')) as bounced
          from campaigns.message_facts where origin_id = m.origin_id and message_id = m.id and fact not in ('skipped', 'failed')) k)
  select part, count(*) filter (where sent)::int as sent, count(*) filter (where delivered and not bounced)::int as delivered,
         count(*) filter (where bounced)::int as "hardBounced"
    from known group by part`

async function expectTotals() {
  const { since, campaigns, automations } = await getSendingOverview(s.ctx, {} as never)
  const begin = timestampDate(since as never)
  const rows = await s.stage.query<{ part: string }>(fromScratch, [firstIdOf(begin), begin])
  const nothing = { sent: 0, delivered: 0, hardBounced: 0 }
  const stored = Object.fromEntries(rows.map(({ part, ...counts }) => [part, counts]))
  expect({ campaigns, automations }).toEqual({ campaigns: nothing, automations: nothing, ...stored })
}

type Action = () => Promise<unknown>

/** Stores the emails of a call as claimed. Returns what happens later: the result of the call, and each event. */
async function begin(
  automationId: string,
  { hours, result, isSentAgain, emails }: typeof anyCall extends fc.Arbitrary<infer T> ? T : never,
): Promise<Action[]> {
  const at = hoursAgo(hours)
  const messageIds = emails.map(() => idOf(at))
  const batch = Math.floor(Math.random() * 2 ** 31)
  const { workspaceId } = s.ctx
  const call = {
    workspaceId,
    kind: 'automation' as const,
    originId: automationId,
    batch,
    messageIds,
    connectionId: newId(),
  }
  await insertAutomationEmails(s.stage, { workspaceId, automationId, batch, messageIds })
  const id = idOf(new Date(at.getTime() + 1))
  await insertHandOff(s.stage, { ...call, id, state: 'claimed' })
  const settle = async () => {
    const settled = await s.stage.query(
      `update campaigns.hand_offs set state = $2 where id = $1 and state in ('claimed', 'unknown') returning id`,
      [id, result],
    )
    if (settled.length > 0 && result === 'put_back' && isSentAgain)
      await insertHandOff(s.stage, { ...call, id: idOf(new Date(at.getTime() + 2)), state: 'accepted' })
  }
  return [settle, ...emails.flatMap((events, index) => arrivals(messageIds[index]!, events))]
}

async function beginRun({
  hours,
  startedHours,
  recipients,
}: typeof anyRun extends fc.Arbitrary<infer T> ? T : never): Promise<Action[]> {
  const { runId, messageIds } = await s.run(recipients)
  await s.stage.query('update campaigns.campaign_runs set started_at = $2 where id = $1', [
    runId,
    hoursAgo(startedHours),
  ])
  for (const { id } of await s.stage.query<{ id: string }>(
    'select id from campaigns.hand_offs where origin_id = $1 and batch < 3',
    [runId],
  ))
    await s.stage.query('update campaigns.hand_offs set id = $2 where id = $1', [id, idOf(hoursAgo(hours))])
  return recipients.flatMap(({ events }, index) => arrivals(messageIds[index]!, events))
}

const arrivals = (messageId: string, events: typeof anyEvents extends fc.Arbitrary<infer T> ? T : never): Action[] =>
  events.flatMap(({ kind, second, isSeenTwice }) => {
    const arrive = () => s.arrive([{ id, messageId, reported: { ...kind, second } }])
    const id = newId()
    return isSeenTwice ? [arrive, arrive] : [arrive]
  })

test(`the totals are those of the stored hand-offs and facts, in whatever order, and at the same time, these arrive (SEED=${seed})`, async () => {
  const history = fc.record({
    calls: fc.array(anyCall, { minLength: 1, maxLength: 5 }),
    runs: fc.array(anyRun, { maxLength: 2 }),
    order: fc.infiniteStream(fc.nat()),
    atOnce: fc.integer({ min: 1, max: 4 }),
  })
  const asStored = fc.asyncProperty(history, async ({ calls, runs, order, atOnce }) => {
    const automationId = newId()
    const actions = (
      await Promise.all([...calls.map((call) => begin(automationId, call)), ...runs.map(beginRun)])
    ).flat()
    const shuffled = actions
      .map((action) => ({ action, at: order.next().value as number }))
      .sort((one, other) => one.at - other.at)
      .map(({ action }) => action)
    for (let from = 0; from < shuffled.length; from += atOnce)
      await Promise.all(shuffled.slice(from, from + atOnce).map((action) => patiently(action)))
    await expectTotals()
  })
  await fc.assert(asStored, { numRuns: histories, seed })
}, 600_000)

test('facts that the previous release stores are counted, once', async () => {
  const [automationId, messageId] = [newId(), newId()]
  const { workspaceId } = s.ctx
  const email = { workspaceId, automationId, batch: 1, messageIds: [messageId] }
  await insertAutomationEmails(s.stage, email)
  const call = { ...email, kind: 'automation' as const, originId: automationId, connectionId: newId() }
  await insertHandOff(s.stage, { ...call, id: newId(), state: 'unknown' })
  await insertFacts(s.stage, { workspaceId, originId: automationId, messageId }, [
    { fact: 'delivered' },
    { fact: 'delivered', at: hoursAgo(1) },
    { fact: 'hard_bounced' },
  ])
  await expectTotals()
})
