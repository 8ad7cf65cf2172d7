import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import fc from 'fast-check'
import { recallLostBatches } from '../../src/delivery/recall-lost-batches.ts'
import { takeTurns, type PublishWindow } from '../../src/delivery/take-turns.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
beforeEach(() => allOver())
afterAll(() => rig.close())

const allOver = () => rig.stage.query(`update campaigns.campaign_runs set state = 'cancelled' where state = 'sending'`)
const unlimited = { atOnce: 1_000, perSecond: 0 }
const next = (window: Partial<PublishWindow> = {}) =>
  rig.system.tx((em) => takeTurns(em, { room: 10, share: 1_000, limits: unlimited, batchSize: 100, ...window }))
const counted = <T>(items: readonly T[], of: (item: T) => string) =>
  new Map(Array.from(Map.groupBy(items, of), ([key, members]) => [key, members.length]))

/** No party is two ahead of a party that still waits. */
function expectFair(parties: ReadonlyMap<string, number>, taken: ReadonlyMap<string, number>) {
  const waiting = [...parties].filter(([id, due]) => (taken.get(id) ?? 0) < due)
  for (const [id] of waiting)
    for (const other of parties.keys()) expect((taken.get(other) ?? 0) - (taken.get(id) ?? 0)).toBeLessThanOrEqual(1)
}

const runSizes = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 4 })

test('workspaces take turns, and so do the runs of each, whatever is left of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(runSizes, { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 }),
      async (workspaces, windows) => {
        await allOver()
        const due = new Map<string, number>()
        const dueOfRun = new Map<string, Map<string, number>>()
        for (const sizes of workspaces) {
          const workspaceId = newId()
          due.set(
            workspaceId,
            sizes.reduce((sum, size) => sum + size, 0),
          )
          const runs = new Map<string, number>()
          for (const size of sizes) runs.set((await rig.run(workspaceId, size)).runId, size)
          dueOfRun.set(workspaceId, runs)
        }
        const all = [...due.values()].reduce((sum, size) => sum + size, 0)
        const taken = []
        let rooms = 0
        for (const room of windows) {
          rooms += room
          taken.push(...(await next({ room })))
          expect(taken.length).toBe(Math.min(all, rooms))
          expectFair(
            due,
            counted(taken, ({ workspaceId }) => workspaceId),
          )
          for (const [workspaceId, runs] of dueOfRun)
            expectFair(
              runs,
              counted(
                taken.filter((one) => one.workspaceId === workspaceId),
                ({ runId }) => runId,
              ),
            )
        }
        expect(new Set(taken.map(({ runId, batch }) => `${runId} ${batch}`)).size).toBe(taken.length)
      },
    ),
    { numRuns: 25, endOnFailure: true },
  )
})

test('concurrent publishers publish no batch twice', async () => {
  const workspaceId = newId()
  await rig.run(workspaceId, 40)
  const taken = (await Promise.all(Array.from({ length: 5 }, () => next({ room: 8 })))).flat()
  expect(new Set(taken.map(({ batch }) => batch)).size).toBe(taken.length)
  expect(taken.length).toBeGreaterThanOrEqual(8)
})

test('a workspace never has more than its share in the queue', async () => {
  const workspaceId = newId()
  await rig.run(workspaceId, 20)
  await rig.run(workspaceId, 20)
  expect(await next({ room: 30, share: 6 })).toHaveLength(6)
  expect(await next({ room: 30, share: 6 })).toHaveLength(0)
})

test('a published batch that is not done becomes due again: soon when the queue is empty, later otherwise', async () => {
  const workspaceId = newId()
  const { runId } = await rig.run(workspaceId, 3)
  expect(await next()).toHaveLength(3)
  const publishedAgo = (seconds: number, batch: number) =>
    rig.stage.query(
      `update campaigns.delivery_batches set published_at = now() - $2 * interval '1 second' where run_id = $1 and batch = $3`,
      [runId, seconds, batch],
    )
  await publishedAgo(20, 1)
  await publishedAgo(70, 2)
  expect(await recallLostBatches(rig.system, false)).toBe(1)
  expect((await next()).map(({ batch }) => batch)).toEqual([2])
  expect(await recallLostBatches(rig.system, true)).toBe(1)
  expect((await next()).map(({ batch }) => batch)).toEqual([1])
  expect(await recallLostBatches(rig.system, true)).toBe(0)
})

describe('a connection', () => {
  const workspaceId = newId()
  const limits = { atOnce: 5, perSecond: 0 }
  const hold = (connectionId: string, ms: number) =>
    rig.stage.query(
      `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, reason) values ($1, $2, now() + $3 * interval '1 ms', 1, 'ambiguous')`,
      [workspaceId, connectionId, ms],
    )

  test('gets as many batches as it has free calls, for all its runs together', async () => {
    const { runId, connectionId } = await rig.run(workspaceId, 10)
    await rig.run(workspaceId, 10, connectionId)
    for (const slot of [1, 2])
      await insertHandOff(rig.stage, {
        workspaceId,
        id: newId(),
        originId: runId,
        batch: 1,
        connectionId,
        slot,
        messageIds: [newId()],
      })
    const taken = await next({ limits })
    expect(new Set(counted(taken, (one) => one.runId).values())).toEqual(new Set([1, 2]))
    expect(await next({ limits })).toEqual([])
  })

  test('in cooldown gets none, another connection what it needs', async () => {
    const coolingDown = await rig.run(workspaceId, 3)
    const other = await rig.run(workspaceId, 3)
    await hold(coolingDown.connectionId, 60_000)
    expect(counted(await next({ limits }), ({ runId }) => runId)).toEqual(new Map([[other.runId, 3]]))
  })

  test('during a trial gets one batch', async () => {
    const { connectionId } = await rig.run(workspaceId, 3)
    await rig.run(workspaceId, 3, connectionId)
    await hold(connectionId, -1)
    expect(await next({ limits })).toHaveLength(1)
    expect(await next({ limits })).toHaveLength(0)
  })

  test('with one domain in cooldown gets what the others may send', async () => {
    const { connectionId } = await rig.run(workspaceId, 3)
    const other = await rig.run(workspaceId, 3, connectionId)
    await rig.stage.query('update campaigns.campaign_runs set domain_name = $2 where id = $1', [
      other.runId,
      'b.acme.test',
    ])
    const cool = (ms: number) =>
      rig.stage.query(
        `insert into campaigns.domain_holds (workspace_id, connection_id, domain_name, until, failures, reason) values ($1, $2, 'mail.acme.test', now() + $3 * interval '1 ms', 1, 'domain_refused')
         on conflict (workspace_id, connection_id, domain_name) do update set until = excluded.until`,
        [workspaceId, connectionId, ms],
      )
    await cool(60_000)
    expect(counted(await next({ limits }), ({ runId }) => runId)).toEqual(new Map([[other.runId, 3]]))
    await cool(-1)
    expect(await next({ limits })).toHaveLength(1)
    expect(await next({ limits })).toHaveLength(0)
  })

  test('with a rate gets what its credit allows', async () => {
    const { connectionId } = await rig.run(workspaceId, 10)
    const paced = { limits: { atOnce: 100, perSecond: 1 }, batchSize: 1_000 }
    const paidUntil = (ms: number) =>
      rig.stage.query(
        `insert into campaigns.connection_paces values ($1, $2, now() + $3 * interval '1 ms') on conflict (workspace_id, connection_id) do update set paid_until = excluded.paid_until`,
        [workspaceId, connectionId, ms],
      )
    await paidUntil(600_000)
    expect(await next(paced)).toHaveLength(0)
    await paidUntil(0)
    expect(await next(paced)).toHaveLength(1)
    expect(await next(paced)).toHaveLength(0)
  })
})
