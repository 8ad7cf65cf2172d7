import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { createService } from '@lettergate/service'
import type { Connection } from '../src/connections.ts'
import { openTallies, type Tally } from '../src/tallies.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
})
afterEach(() => {
  jest.useRealTimers()
})

const service = createService('webhook-intake', { logLevel: 'silent' })
const connectionOf = (id: string): Connection => ({ id, workspaceId: 'w1', signingKeyName: null })

/** Tallies whose announcements the test sees, and which fail while `isAway`. */
function opened() {
  const announced: { id: string; signatureFailures: number; repeated: Record<string, number> }[] = []
  const state = { isAway: false }
  const tallies = openTallies(service, async ({ id }: Connection, { signatureFailures, repeated }: Tally) => {
    if (state.isAway) throw new Error('the database is away')
    announced.push({ id, signatureFailures, repeated: Object.fromEntries(repeated) })
  })
  return { tallies, announced, state }
}

test('the counts of a second are announced once for each connection, and then start anew', async () => {
  const { tallies, announced } = opened()
  await jest.advanceTimersByTimeAsync(0)
  for (let n = 0; n < 3; n += 1) tallies.signatureFailed(connectionOf('c1'))
  tallies.signatureFailed(connectionOf('c2'))
  tallies.repeated(connectionOf('c1'), 't1')
  tallies.repeated(connectionOf('c1'), 't1')
  tallies.repeated(connectionOf('c1'), 't2')
  await jest.advanceTimersByTimeAsync(1_000)
  expect(announced).toEqual([
    { id: 'c1', signatureFailures: 3, repeated: { t1: 2, t2: 1 } },
    { id: 'c2', signatureFailures: 1, repeated: {} },
  ])
  await jest.advanceTimersByTimeAsync(5_000)
  expect(announced).toHaveLength(2)
  await tallies.stop()
})

test('repeats of events without a test send are not counted', async () => {
  const { tallies, announced } = opened()
  tallies.repeated(connectionOf('c1'), undefined)
  await tallies.stop()
  expect(announced).toEqual([])
})

test('stopping announces the last counts', async () => {
  const { tallies, announced } = opened()
  tallies.signatureFailed(connectionOf('c1'))
  await tallies.stop()
  expect(announced).toEqual([{ id: 'c1', signatureFailures: 1, repeated: {} }])
})

test('at most 10,000 connections are counted at a time, and those that are known go on', async () => {
  const { tallies, announced } = opened()
  await jest.advanceTimersByTimeAsync(0)
  for (let n = 0; n < 10_001; n += 1) tallies.signatureFailed(connectionOf(`c${n}`))
  tallies.signatureFailed(connectionOf('c0'))
  tallies.repeated(connectionOf('c10000'), 't1')
  await tallies.stop()
  expect(announced).toHaveLength(10_000)
  expect(announced[0]).toMatchObject({ id: 'c0', signatureFailures: 2 })
})

test('at most 1,000 test sends of a connection are counted at a time, and those that are known go on', async () => {
  const { tallies, announced } = opened()
  for (let n = 0; n < 1_001; n += 1) tallies.repeated(connectionOf('c1'), `t${n}`)
  tallies.repeated(connectionOf('c1'), 't0')
  await tallies.stop()
  expect(Object.keys(announced[0]!.repeated)).toHaveLength(1_000)
  expect(announced[0]!.repeated['t0']).toBe(2)
})

test('counts of a failed announcement are added to those that came meanwhile', async () => {
  const announced: number[] = []
  const failing = Promise.withResolvers<void>()
  let calls = 0
  const tallies = openTallies(service, async (_, { signatureFailures, repeated }) => {
    calls += 1
    if (calls === 1) await failing.promise
    announced.push(signatureFailures, repeated.get('t1') ?? 0)
  })
  await jest.advanceTimersByTimeAsync(0)
  const count = (times: number) => {
    for (let n = 0; n < times; n += 1) {
      tallies.signatureFailed(connectionOf('c1'))
      tallies.repeated(connectionOf('c1'), 't1')
    }
  }
  count(2)
  await jest.advanceTimersByTimeAsync(1_000)
  expect(calls).toBe(1)
  count(3)
  failing.reject(new Error('the database is away'))
  await tallies.stop()
  expect(announced).toEqual([5, 5])
})

test('however requests and outages fall together, each request is counted exactly once in the end', async () => {
  const step = fc.record({
    of: fc.constantFrom('c1', 'c2', 'c3'),
    testSend: fc.option(fc.constantFrom('t1', 't2'), { nil: undefined }),
    isSigned: fc.boolean(),
    afterMs: fc.constantFrom(0, 0, 300, 1_000),
    isAway: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { tallies, announced, state } = opened()
      const expected: Record<string, number> = {}
      const count = (key: string, by = 1) => (expected[key] = (expected[key] ?? 0) + by)
      for (const { of, testSend, isSigned, afterMs, isAway } of steps) {
        state.isAway = isAway
        await jest.advanceTimersByTimeAsync(afterMs)
        if (isSigned) {
          tallies.repeated(connectionOf(of), testSend)
          if (testSend !== undefined) count(`${of} ${testSend}`)
        } else {
          tallies.signatureFailed(connectionOf(of))
          count(of)
        }
      }
      state.isAway = false
      await tallies.stop()
      const sums: Record<string, number> = {}
      for (const { id, signatureFailures, repeated } of announced) {
        if (signatureFailures > 0) sums[id] = (sums[id] ?? 0) + signatureFailures
        for (const [testSend, times] of Object.entries(repeated))
          sums[`${id} ${testSend}`] = (sums[`${id} ${testSend}`] ?? 0) + times
      }
      expect(sums).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})
