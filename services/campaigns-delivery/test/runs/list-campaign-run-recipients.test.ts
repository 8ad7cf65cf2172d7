import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { factNames, outcomes, type FactName } from '../../src/messages/outcome.ts'
import { recipientStates } from '../../src/messages/recipient-state.ts'
import { at, openEvents, type EventsStage } from '../events-stage.ts'
import { insertFacts, insertHandOff, insertRecipient } from '../message-rows.ts'

let rig: EventsStage
beforeAll(async () => {
  rig = await openEvents()
})
afterAll(() => rig.stage.close())

const handOffStates = ['claimed', 'accepted', 'put_back', 'unknown', 'failed'] as const
const factSets: FactName[][] = [
  [],
  ...factNames.map((fact) => [fact]),
  ['soft_failed', 'delivered'],
  ['delivered', 'hard_bounced'],
  ['soft_failed', 'opened'],
]

interface Expected {
  state: string
  outcome: string | undefined
}

/** An independent definition of the message state. The database functions must agree. */
function expectedOf(handOff: string | null, facts: FactName[], end: string | undefined): Expected {
  const has = (...names: FactName[]) => names.some((name) => facts.includes(name))
  if (handOff === 'accepted' || facts.length > 0) {
    if (has('hard_bounced', 'provider_suppressed')) return { state: 'hard_bounced', outcome: 'hard_bounced' }
    if (has('delivered')) return { state: 'delivered', outcome: 'delivered' }
    if (has('soft_failed')) return { state: 'soft_failed', outcome: 'soft_failed_only' }
    return { state: 'accepted', outcome: 'no_terminal_event' }
  }
  if (handOff !== null && handOff !== 'put_back') return { state: handOff, outcome: undefined }
  return { state: end ?? 'pending', outcome: undefined }
}

/** One message of every kind that can be stored, with its expected state. */
async function everyKind() {
  const { runId, handOffId, messageIds } = await rig.handedOver(2)
  const { workspaceId, stage } = rig
  await stage.query('delete from campaigns.hand_offs where id = $1', [handOffId])
  await stage.query('delete from campaigns.run_recipients where id = any($1::uuid[])', [messageIds])
  await stage.query(
    `insert into campaigns.delivery_batches (workspace_id, run_id, batch, done_at) select $1, $2, n, case when n > 0 then now() end from generate_series(0, 1) n`,
    [workspaceId, runId],
  )
  const expected = new Map<string, Expected>()
  const add = async (handOffs: string[], facts: FactName[], end?: 'skipped' | 'failed', isDone = false) => {
    const id = newId()
    const isOpen = handOffs.every((state) => state === 'put_back') && facts.length === 0 && end === undefined
    const batch = isOpen && !isDone ? 0 : 1
    await insertRecipient(stage, { workspaceId, runId, id, batch })
    const ids = { workspaceId, originId: runId, connectionId: runId, batch, messageIds: [id], reason: 'timeout' }
    for (const [index, state] of handOffs.entries())
      await insertHandOff(stage, { ...ids, id: newId(), state, minutesAgo: handOffs.length - 1 - index })
    const ends = end === undefined ? [] : [{ fact: end, reasons: [end === 'skipped' ? 'manual' : 'status_400'] }]
    const known = facts.map((fact) => ({ fact, at: at(1) }))
    await insertFacts(stage, { workspaceId, originId: runId, messageId: id }, [...known, ...ends])
    expected.set(id, expectedOf(handOffs.find((state) => state !== 'put_back') ?? null, facts, end))
  }
  await add([], [])
  // A fault: the batch is done, and the recipient has no end.
  await add([], [], undefined, true)
  await add(['put_back'], [], undefined, true)
  await add([], [], 'skipped')
  await add(['put_back'], [], 'skipped')
  await add(['put_back'], [], 'failed')
  for (const handOff of handOffStates) for (const facts of factSets) await add([handOff], facts)
  for (const handOff of handOffStates) if (handOff !== 'put_back') await add(['put_back', handOff], [])
  return { runId, expected }
}

test('every filter finds exactly the recipients that match, and no recipient has two states', async () => {
  const { runId, expected } = await everyKind()
  const list = async (filter: object) =>
    (await rig.campaigns.listCampaignRunRecipients(rig.us, { runId, limit: 1_000, ...filter })).recipients
  const all = await list({})
  expect(new Map(all.map(({ id, state, outcome }) => [id, { state, outcome }]))).toEqual(expected)
  const idsWhere = (holds: (one: { state: string; outcome: string | undefined }) => boolean) =>
    [...expected].flatMap(([id, one]) => (holds(one) ? [id] : [])).sort()
  for (const state of recipientStates)
    expect([state, (await list({ state })).map(({ id }) => id).sort()]).toEqual([
      state,
      idsWhere((one) => one.state === state),
    ])
  for (const outcome of outcomes)
    expect([outcome, (await list({ outcome })).map(({ id }) => id).sort()]).toEqual([
      outcome,
      idsWhere((one) => one.outcome === outcome),
    ])
  const timedOut = (await list({ reason: 'timeout' })).map(({ state }) => state)
  expect(new Set(timedOut)).toEqual(new Set(['unknown', 'failed']))
  expect((await list({ reason: 'manual' })).map(({ reasons }) => reasons)).toEqual([['manual'], ['manual']])
  expect((await list({ reason: 'status_400' })).map(({ state }) => state)).toEqual(['failed'])
})

test('the report counts every recipient once, under the state and the outcome that the list shows', async () => {
  const { runId, expected } = await everyKind()
  const count = (holds: (one: Expected) => boolean) => [...expected.values()].filter(holds).length
  const { sent, delivered, hardBounced, softFailedOnly, noTerminalEvent, skipped, failed, unknown } =
    await rig.report(runId)
  expect({ sent, delivered, hardBounced, softFailedOnly, noTerminalEvent, skipped, failed, unknown }).toEqual({
    sent: count(({ outcome }) => outcome !== undefined),
    delivered: count(({ outcome }) => outcome === 'delivered'),
    hardBounced: count(({ outcome }) => outcome === 'hard_bounced'),
    softFailedOnly: count(({ outcome }) => outcome === 'soft_failed_only'),
    noTerminalEvent: count(({ outcome }) => outcome === 'no_terminal_event'),
    skipped: count(({ state }) => state === 'skipped'),
    failed: count(({ state }) => state === 'failed'),
    unknown: count(({ state }) => state === 'unknown'),
  })
})

test('a cursor works only for its own run, and the run is not found in another workspace', async () => {
  const [one, other] = [await rig.handedOver(2), await rig.handedOver(2)]
  const { nextCursor } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: one.runId, limit: 1 })
  expect(
    (await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: one.runId, cursor: nextCursor! })).recipients,
  ).toHaveLength(1)
  await expect(
    rig.campaigns.listCampaignRunRecipients(rig.us, { runId: other.runId, cursor: nextCursor! }),
  ).rejects.toMatchObject({ code: 'invalid_argument', reason: 'cursor' })
  const otherWorkspace = rig.stage.caller({ workspaceId: randomUUID() })
  for (const ask of [
    () => rig.campaigns.listCampaignRunRecipients(otherWorkspace, { runId: one.runId }),
    () => rig.campaigns.getCampaignRunTimeline(otherWorkspace, { runId: one.runId }),
    () => rig.campaigns.getCampaignRunTimeline(rig.us, { runId: 'no-id' }),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'not_found', message: 'There is no such campaign run.' })
})
