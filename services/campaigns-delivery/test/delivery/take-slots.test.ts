import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import fc from 'fast-check'
import { takeSlots } from '../../src/delivery/take-slots.ts'
import { insertHandOff, insertRecipient } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const workspaceId = newId()
let rig: RowsStage
let runId: string
beforeAll(async () => {
  rig = await openRows()
  runId = (await rig.run(workspaceId, 1)).runId
})
afterAll(() => rig.close())

const now = async () => (await rig.stage.query<{ now: string }>('select clock_timestamp()::text as now'))[0]!.now
const message = () => ({ id: newId(), contactId: newId(), audienceId: newId(), minimumIntervalSeconds: 0 })

/** Stores the intents of some calls as a worker does, and returns those that got a slot. */
async function take(connectionId: string, calls: number, atOnce: number): Promise<string[]> {
  const route = { workspaceId, connectionId, domainName: 'mail.acme.test' }
  const wanted = { route, region: 'us', credentialEnvKey: 'K', atOnce }
  const origin = { workspaceId, kind: 'run' as const, originId: runId, batch: 1 }
  const asked = Array.from({ length: calls }, () => ({ ...origin, id: newId(), messages: [message()] }))
  for (const { messages } of asked)
    await insertRecipient(rig.stage, { workspaceId, runId, batch: 1, id: messages[0]!.id })
  for (;;) {
    const judgedAt = await now()
    const taken = await rig.in(workspaceId).tx((em) => takeSlots(em, { ...wanted, judgedAt }, asked))
    // On a slow machine a verdict is too old when its transaction begins. Then nothing was stored.
    if (taken.kind !== 'outdated') return taken.handOffs.map(({ id }) => id)
  }
}
const end = (id: string, state: string) =>
  rig.stage.query('update campaigns.hand_offs set state = $2 where id = $1', [id, state])
const claimed = (connectionId: string) =>
  rig.stage.query<{ id: string; slot: number }>(
    `select id, slot from campaigns.hand_offs where connection_id = $1 and state = 'claimed'`,
    [connectionId],
  )

const round = fc.record({
  takes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 6 }),
  ends: fc.array(fc.constantFrom('accepted', 'put_back', 'failed', 'unknown'), { maxLength: 6 }),
})

test('with concurrent workers and ending calls no slot is given twice, and a free slot is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(round, { minLength: 1, maxLength: 6 }),
      async (atOnce, rounds) => {
        const connectionId = newId()
        const open = new Set<string>()
        for (const { takes, ends } of rounds) {
          const ending = [...open].slice(0, ends.length)
          const [taken] = await Promise.all([
            Promise.all(takes.map((calls) => take(connectionId, calls, atOnce))),
            ...ending.map((id, index) => end(id, ends[index]!)),
          ])
          for (const id of ending) open.delete(id)
          for (const id of taken.flat()) open.add(id)
          const held = await claimed(connectionId)
          expect(new Set(held.map(({ id }) => id))).toEqual(open)
          expect(new Set(held.map(({ slot }) => slot)).size).toBe(held.length)
          expect(held.every(({ slot }) => slot >= 1 && slot <= atOnce)).toBe(true)
          const one = await take(connectionId, 1, atOnce)
          expect(one).toHaveLength(held.length < atOnce ? 1 : 0)
          for (const id of one) open.add(id)
        }
      },
    ),
    { numRuns: 25 },
  )
})

test('a request for more slots than are free gets the free ones, and connections do not wait for each other', async () => {
  const [mine, other] = [newId(), newId()]
  expect(await take(mine, 5, 3)).toHaveLength(3)
  expect(await take(mine, 1, 3)).toHaveLength(0)
  expect(await take(other, 1, 3)).toHaveLength(1)
})

test('a test send takes no slot and does not wait for one', async () => {
  const connectionId = newId()
  expect(await take(connectionId, 2, 2)).toHaveLength(2)
  const id = newId()
  const ids = { workspaceId, id, originId: id, connectionId }
  await insertHandOff(rig.stage, { ...ids, kind: 'test_send', messageIds: [id] })
  expect(new Set((await claimed(connectionId)).map(({ slot }) => slot))).toEqual(new Set([1, 2, null]))
})

test('a verdict that is two seconds old claims no message', async () => {
  const route = { workspaceId, connectionId: newId(), domainName: 'mail.acme.test' }
  const old = new Date(Date.parse(await now()) - 2_000).toISOString()
  const wanted = { route, region: 'us', credentialEnvKey: 'K', judgedAt: old, atOnce: 5 }
  const call = { workspaceId, kind: 'run' as const, originId: runId, batch: 1, id: newId(), messages: [message()] }
  expect(await rig.in(workspaceId).tx((em) => takeSlots(em, wanted, [call]))).toEqual({ kind: 'outdated' })
  expect(await claimed(route.connectionId)).toEqual([])
})

test('a message is never in two hand-offs, unless the first was put back; and a put-back is final', async () => {
  const [connectionId, messageId, first, second] = [newId(), newId(), newId(), newId()]
  const call = { workspaceId, originId: runId, batch: 1, connectionId, messageIds: [messageId] }
  await insertHandOff(rig.stage, { ...call, id: first })
  await expect(insertHandOff(rig.stage, { ...call, id: second })).rejects.toMatchObject({ code: '23505' })
  await end(first, 'put_back')
  await insertHandOff(rig.stage, { ...call, id: second })
  await expect(end(first, 'accepted')).rejects.toMatchObject({ code: '23001' })
})
