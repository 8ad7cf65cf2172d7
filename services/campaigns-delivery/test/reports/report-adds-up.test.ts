import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { addFact, factOf, type Facts } from '../../src/messages/outcome.ts'
import { at, openEvents, type EventsStage, type ReportedEvent } from '../events-stage.ts'
import { insertFacts, insertHandOff } from '../message-rows.ts'

let rig: EventsStage
beforeAll(async () => {
  rig = await openEvents()
})
afterAll(() => rig.stage.close())

const kinds: Omit<ReportedEvent, 'second'>[] = [
  { event: 'accepted' },
  { event: 'delivered' },
  { event: 'failed', severity: 'temporary' },
  { event: 'failed', severity: 'permanent', reason: 'bounce' },
  { event: 'failed', severity: 'permanent', reason: 'suppress-bounce' },
  { event: 'opened' },
  { event: 'clicked' },
  { event: 'complained' },
  { event: 'unsubscribed' },
]
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
let state = seed
const random = (below: number) => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
  return Math.floor((state / 2 ** 32) * below)
}

/** Some events about some of the recipients, in random order, some repeated. */
function randomEvents(messageIds: string[]) {
  const events = Array.from({ length: random(400) }, () => ({
    id: newId(),
    messageId: messageIds[random(messageIds.length)]!,
    reported: { ...kinds[random(kinds.length)]!, second: random(600) },
  }))
  const repeated = events.filter(() => random(5) === 0)
  return { events, order: [...events, ...repeated].sort(() => random(3) - 1) }
}

const fromScratch = `
  select count(*) filter (where bounced)::int as hard_bounced, count(*) filter (where not bounced and delivered)::int as delivered,
         count(*) filter (where not bounced and not delivered and soft_failed)::int as soft_failed_only, count(*) filter (where opened)::int as opened
    from (select bool_or(fact in ('hard_bounced', 'provider_suppressed')) as bounced, bool_or(fact = 'delivered') as delivered,
                 bool_or(fact = 'soft_failed') as soft_failed, bool_or(fact = 'opened') as opened
            from campaigns.message_facts where origin_id = $1 group by message_id) as known`

/** An independent definition of the rule. The database function `message_outcome` must agree. */
function outcomeOf(facts: Facts) {
  if (facts.hard_bounced ?? facts.provider_suppressed) return 'hard_bounced'
  if (facts.delivered) return 'delivered'
  return facts.soft_failed ? 'soft_failed_only' : 'no_terminal_event'
}

test(`a report adds up at every read while random events arrive, and ends with the result of all events (SEED=${seed})`, async () => {
  for (const handOff of ['accepted', 'unknown', 'claimed', 'accepted'] as const) {
    const { runId, messageIds } = await rig.handedOver(60, handOff)
    const { events, order } = randomEvents(messageIds)
    let isOver = false
    const watching = (async () => {
      for (let looks = 0; !isOver || looks === 0; looks += 1) {
        const report = await rig.report(runId)
        const { sent, delivered, hardBounced, softFailedOnly, noTerminalEvent } = report
        expect(delivered + hardBounced + softFailedOnly + noTerminalEvent).toBe(sent)
        expect(noTerminalEvent).toBeGreaterThanOrEqual(0)
        expect(sent + report.unknown + report.failed).toBeLessThanOrEqual(60)
      }
    })()
    for (let from = 0; from < order.length; from += 40)
      await Promise.all(
        order.slice(from, from + 40).map(({ id, messageId, reported }) => rig.say(messageId, reported, { id })),
      )
    await until(async () => (await rig.eventsOf(runId)) === events.length, { what: 'all events' })
    isOver = true
    await watching

    const facts = new Map<string, Facts>()
    for (const { messageId, reported } of events)
      facts.set(messageId, addFact(facts.get(messageId) ?? {}, factOf(reported)!, at(reported.second)))
    const ended = [...facts.values()].map(outcomeOf)
    const count = (outcome: string) => ended.filter((one) => one === outcome).length
    const report = await rig.report(runId)
    const sent = handOff === 'accepted' ? 60 : facts.size
    expect(report).toMatchObject({
      sent,
      delivered: count('delivered'),
      hardBounced: count('hard_bounced'),
      softFailedOnly: count('soft_failed_only'),
      noTerminalEvent: sent - count('delivered') - count('hard_bounced') - count('soft_failed_only'),
      openedRecipients: [...facts.values()].filter(({ opened }) => opened).length,
    })
    const [counted] = await rig.stage.query(fromScratch, [runId])
    expect(counted).toEqual({
      hard_bounced: report.hardBounced,
      delivered: report.delivered,
      soft_failed_only: report.softFailedOnly,
      opened: report.openedRecipients,
    })
    const { timeline } = await rig.campaigns.getCampaignRunTimeline(rig.us, { runId, bucket: 'minute' })
    const plotted = (kind: 'delivered' | 'bounced' | 'opened' | 'handedOff') =>
      timeline.reduce((sum, moment) => sum + moment[kind], 0)
    expect(plotted('opened')).toBe(report.openedRecipients)
    expect(plotted('bounced')).toBe(report.hardBounced)
    expect(plotted('delivered')).toBe([...facts.values()].filter(({ delivered }) => delivered).length)
    expect(plotted('handedOff')).toBe(sent)
  }
})

test('a fact that happened earlier than known moves in the timeline and is not counted twice', async () => {
  const { runId, messageIds } = await rig.handedOver(1)
  await rig.say(messageIds[0]!, { event: 'opened', second: 3_700 })
  await until(async () => (await rig.eventsOf(runId)) === 1)
  await rig.say(messageIds[0]!, { event: 'opened', second: 61 })
  await until(async () => (await rig.eventsOf(runId)) === 2)
  const timelineBy = async (bucket: string) =>
    (await rig.campaigns.getCampaignRunTimeline(rig.us, { runId, bucket })).timeline
      .filter(({ opened }) => opened !== 0)
      .map((moment) => [Number(moment.at!.seconds) - at(0).getTime() / 1_000, moment.opened])
  expect(await timelineBy('minute')).toEqual([[60, 1]])
  expect(await timelineBy('hour')).toEqual([[0, 1]])
})

test('unsubscribes count recipients who were sent to, within seven days of the start, each once', async () => {
  const { runId, messageIds } = await rig.handedOver(6)
  const people = await rig.stage.query<{ id: string; contact_id: string; audience_id: string }>(
    'select id, contact_id, audience_id from campaigns.run_recipients where run_id = $1',
    [runId],
  )
  const withdraw = (contactId: string, audienceId: string | null, when: string) =>
    rig.stage.query(
      `insert into campaigns.consent_withdrawals (workspace_id, id, contact_id, audience_id, withdrawn_at) values ($1, $2, $3, $4, ${when})`,
      [rig.workspaceId, newId(), contactId, audienceId],
    )
  const person = (index: number) => people.find(({ id }) => id === messageIds[index])!
  await withdraw(person(0).contact_id, person(0).audience_id, 'now()')
  await withdraw(person(0).contact_id, null, 'now()')
  await withdraw(person(1).contact_id, null, 'now()')
  await withdraw(person(2).contact_id, newId(), 'now()') // another audience
  await withdraw(person(3).contact_id, null, `now() - interval '2 hours'`) // before the run
  await withdraw(person(4).contact_id, null, `now() + interval '8 days'`)
  await withdraw(newId(), null, 'now()') // not a recipient of this run
  for (const messageId of [messageIds[0]!, messageIds[5]!])
    await insertFacts(rig.stage, { workspaceId: rig.workspaceId, originId: runId, messageId }, [
      { fact: 'unsubscribed' },
    ])
  expect((await rig.report(runId)).unsubscribesAttributed).toBe(3)
  await rig.stage.query('update campaigns.campaign_runs set started_at = null where id = $1', [runId])
  expect((await rig.report(runId)).unsubscribesAttributed).toBeUndefined()
})

test('events about recipients whose hand-off is not known, as after a restore, count each message once in report, run and list', async () => {
  const { runId, handOffId, messageIds } = await rig.handedOver(5)
  const [recorded, opened, delivered, bounced, pending] = messageIds
  await rig.stage.query('insert into campaigns.delivery_batches (workspace_id, run_id, batch) values ($1, $2, 0)', [
    rig.workspaceId,
    runId,
  ])
  await rig.stage.query('delete from campaigns.hand_offs where id = $1', [handOffId])
  const ids = { workspaceId: rig.workspaceId, id: newId(), originId: runId, connectionId: runId }
  await insertHandOff(rig.stage, { ...ids, messageIds: [recorded!], state: 'accepted' })
  await rig.say(opened!, { event: 'opened', second: 1 })
  await rig.say(opened!, { event: 'opened', second: 0 })
  await rig.say(delivered!, { event: 'accepted', second: 1 })
  await rig.say(bounced!, { event: 'failed', severity: 'permanent', second: 1 })
  await until(async () => (await rig.eventsOf(runId)) === 4)
  await rig.say(delivered!, { event: 'delivered', second: 2 })
  await until(async () => (await rig.eventsOf(runId)) === 5)
  expect(await rig.report(runId)).toMatchObject({
    sent: 4,
    delivered: 1,
    hardBounced: 1,
    noTerminalEvent: 2,
    failed: 0,
    unknown: 0,
  })
  const { campaignRun } = await rig.campaigns.getCampaignRun(rig.us, { runId })
  expect(campaignRun).toMatchObject({ sentCount: 4 })
  const listed = async (state: string) =>
    (await rig.campaigns.listCampaignRunRecipients(rig.us, { runId, state })).recipients.map(({ id }) => id).sort()
  expect(await listed('accepted')).toEqual([recorded!, opened!].sort())
  expect(await listed('delivered')).toEqual([delivered])
  expect(await listed('hard_bounced')).toEqual([bounced])
  expect(await listed('pending')).toEqual([pending])
})
