import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { factNames, type FactName } from '../src/domain/delivery/outcome.ts'
import { outcomes, recipientStates, standingOf, type StoredMessage } from '../src/domain/delivery/recipient-state.ts'
import { at, openEvents, type EventsStage } from './events-stage.ts'

let rig: EventsStage
beforeAll(async () => {
  rig = await openEvents()
}, 60_000)
afterAll(() => rig.stage.close())

const handOffStates = ['claimed', 'accepted', 'put_back', 'unknown'] as const
const factSets: FactName[][] = [
  [],
  ...factNames.map((fact) => [fact]),
  ['soft_failed', 'delivered'],
  ['delivered', 'hard_bounced'],
]

/** One message of every kind that can be stored, each with what the pure rules say of it. */
async function everyKind() {
  const { runId, handOffId, messageIds } = await rig.handedOver(2)
  await rig.stage.query('delete from campaigns.run_recipients where id = any($1::uuid[])', [messageIds])
  const expected = new Map<string, ReturnType<typeof standingOf>>()
  const add = async (state: StoredMessage['state'], handOff: string | null, facts: FactName[]) => {
    const id = newId()
    const handOffOf = handOff === null ? null : newId()
    if (handOffOf)
      await rig.stage.query(
        `insert into campaigns.hand_offs select (jsonb_populate_record(h, jsonb_build_object('id', $1::text, 'state', $2::text, 'reason', 'timeout'))).* from campaigns.hand_offs h where id = $3`,
        [handOffOf, handOff, handOffId],
      )
    const columns = facts.map((fact) => `${fact}_at`)
    await rig.stage.query(
      `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email, state, hand_off_id, reasons ${columns.map((name) => `, ${name}`).join('')})
       values ($1, $2::uuid, $3, 0, $2::uuid, $2::uuid, $2::text || '@example.org', $4, $5, $6 ${columns.map(() => `, '${at(1).toISOString()}'`).join('')})`,
      [
        rig.workspaceId,
        id,
        runId,
        state,
        handOffOf,
        state === 'skipped' ? ['manual'] : state === 'failed' ? ['status_400'] : null,
      ],
    )
    expected.set(
      id,
      standingOf({ state, handOffState: handOff, facts: Object.fromEntries(facts.map((fact) => [fact, at(1)])) }),
    )
  }
  await add('pending', null, [])
  await add('skipped', null, [])
  await add('failed', 'failed', [])
  for (const handOff of handOffStates) for (const facts of factSets) await add('claimed', handOff, facts)
  return { runId, expected }
}

test('every filter finds exactly those whom the rules put there, and nobody is in two states', async () => {
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
  expect((await list({ reason: 'timeout' })).map(({ state }) => state)).toEqual(['unknown'])
  expect((await list({ reason: 'manual' })).map(({ reasons }) => reasons)).toEqual([['manual']])
})

test('a cursor is good for its own run, and another workspace has no such run', async () => {
  const [one, other] = [await rig.handedOver(2), await rig.handedOver(2)]
  const { nextCursor } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: one.runId, limit: 1 })
  expect(
    (await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: one.runId, cursor: nextCursor! })).recipients,
  ).toHaveLength(1)
  await expect(
    rig.campaigns.listCampaignRunRecipients(rig.us, { runId: other.runId, cursor: nextCursor! }),
  ).rejects.toMatchObject({ code: 'invalid_argument', reason: 'cursor' })
  const stranger = rig.stage.caller({ workspaceId: randomUUID() })
  for (const ask of [
    () => rig.campaigns.listCampaignRunRecipients(stranger, { runId: one.runId }),
    () => rig.campaigns.getCampaignRunTimeline(stranger, { runId: one.runId }),
    () => rig.campaigns.getCampaignRunTimeline(rig.us, { runId: 'no-id' }),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'not_found', message: 'There is no such campaign run.' })
})
