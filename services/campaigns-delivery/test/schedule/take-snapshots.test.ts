import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { Ctx } from '../../src/ctx.ts'
import {
  deleteRecipients,
  endLease,
  failSnapshot,
  releaseSnapshot,
  lockLease,
  LeaseLost,
  renewLease,
  requestSnapshot,
  takeSnapshot,
  type LeasedSnapshotJob,
} from '../../src/schedule/snapshot-job.entity.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

const [ours, theirs] = [newId(), newId()]
const bounds = { atOnce: 4, perWorkspace: 2 }
let rig: RowsStage
beforeAll(async () => {
  rig = await openRows()
})
beforeEach(() => rig.stage.query('delete from campaigns.snapshot_jobs'))
afterAll(() => rig.close())

/** Inserts a run that is being built, with a requested snapshot. */
async function request(workspaceId: string): Promise<string> {
  const { runId } = await rig.run(workspaceId, 0)
  await rig.stage.query(`update campaigns.campaign_runs set state = 'building' where id = $1`, [runId])
  await rig
    .in(workspaceId)
    .tx((em) => requestSnapshot(em, { workspaceId, runId, draftVersion: 1, batchSize: 100, requestedAt: new Date() }))
  return runId
}
const take = () => rig.system.tx((em) => takeSnapshot(em, bounds))
const endLeases = () => rig.stage.query('update campaigns.snapshot_jobs set leased_until = now()')

test('workspaces take turns, each with at most two snapshots, four over all', async () => {
  for (let n = 0; n < 10; n += 1) await request(ours)
  for (let n = 0; n < 3; n += 1) await request(theirs)
  const taken = [await take(), await take(), await take(), await take()]
  expect(taken.map((job) => job?.workspace_id)).toEqual([ours, theirs, ours, theirs])
  expect(await take()).toBeUndefined()

  const [first, second] = taken as [LeasedSnapshotJob, LeasedSnapshotJob]
  await rig.system.tx((em) => endLease(em, first))
  await rig.system.tx((em) => endLease(em, second))
  expect([(await take())?.workspace_id, (await take())?.workspace_id, await take()]).toEqual([ours, theirs, undefined])
})

test('a workspace alone gets at most two, however much room there is', async () => {
  for (let n = 0; n < 10; n += 1) await request(ours)
  expect([await take(), await take(), await take()].map((job) => job !== undefined)).toEqual([true, true, false])
})

test('concurrent workers never exceed the limits, and no snapshot is taken twice', async () => {
  for (const workspaceId of [ours, theirs, newId(), newId()]) for (let n = 0; n < 5; n += 1) await request(workspaceId)
  const taken: LeasedSnapshotJob[] = []
  for (let round = 0; round < 6; round += 1)
    taken.push(...(await Promise.all(Array.from({ length: 8 }, take))).filter((job) => job !== undefined))
  expect(taken).toHaveLength(4)
  expect(new Set(taken.map(({ run_id }) => run_id)).size).toBe(4)
})

test('a slow worker that lost its lease can no longer write to the snapshot', async () => {
  const runId = await request(ours)
  const slow = (await take())!
  await endLeases()
  const other = (await take())!
  expect({ runs: [slow.run_id, other.run_id], attempts: other.attempts }).toEqual({ runs: [runId, runId], attempts: 2 })
  const as = <T>(work: Parameters<typeof rig.system.tx<T>>[0]) => rig.in(ours).tx(work)
  const failure = { code: 'internal', reason: '', message: '' } as const
  await expect(as((em) => lockLease(em, slow))).rejects.toThrow(LeaseLost)
  await expect(as((em) => endLease(em, slow))).rejects.toThrow(LeaseLost)
  await expect(as((em) => failSnapshot(em, slow, failure))).rejects.toThrow(LeaseLost)
  await expect(deleteRecipients(rig.in(ours) as Ctx, slow)).rejects.toThrow(LeaseLost)
  expect(await as((em) => renewLease(em, slow))).toBe(false)
  expect(await as((em) => releaseSnapshot(em, slow, { retryInMs: 0, isAttempt: true }))).toBe(false)
  await as((em) => lockLease(em, other))
})

test('a lease can be renewed during an insert, and no other worker takes the snapshot until the insert ends', async () => {
  await request(ours)
  const job = (await take())!
  await rig.in(ours).tx(async (em) => {
    await lockLease(em, job)
    expect(await rig.in(ours).tx((other) => renewLease(other, job))).toBe(true)
    await endLeases()
    expect(await take()).toBeUndefined()
  })
  expect(await take()).toMatchObject({ run_id: job.run_id, attempts: 2 })
})

test('a released snapshot waits for its next attempt, and a failed one is not taken again', async () => {
  await request(ours)
  const first = (await take())!
  await rig.system.tx((em) => releaseSnapshot(em, first, { retryInMs: 3_600_000, isAttempt: true }))
  expect(await take()).toBeUndefined()
  await rig.stage.query('update campaigns.snapshot_jobs set next_attempt_at = now()')
  const second = (await take())!
  expect(second).toMatchObject({ run_id: first.run_id, attempts: 2 })
  await rig.system.tx((em) => failSnapshot(em, second, { code: 'internal', reason: '', message: '' }))
  await endLeases()
  expect(await take()).toBeUndefined()
  expect(await rig.stage.query('select 1 from campaigns.campaign_runs where id = $1', [second.run_id])).toEqual([])
})
