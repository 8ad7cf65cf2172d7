import { expect, jest, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { microBatch } from '@lettergate/batch'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('calls that arrive together are one run, and each gets its own result', async () => {
  const sizes: number[] = []
  const batch = microBatch<number, number>({
    run: async (items) => {
      sizes.push(items.length)
      return items.map((item) => item * 2)
    },
  })
  const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => batch.add(index)))
  expect(answers).toEqual(Array.from({ length: 150 }, (_, index) => index * 2))
  expect(sizes).toEqual([150])
  await batch.stop()
})

test('a run has at most maxItems items, and at most maxRunning runs are in progress', async () => {
  let now = 0
  let most = 0
  const sizes: number[] = []
  const batch = microBatch<number, number>({
    maxItems: 10,
    maxRunning: 2,
    run: async (items) => {
      most = Math.max(most, ++now)
      sizes.push(items.length)
      await pause(5)
      now -= 1
      return items
    },
  })
  await Promise.all(Array.from({ length: 95 }, (_, index) => batch.add(index)))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(95)
  expect(most).toBe(2)
})

test('calls that arrive during a run are one run after it, although a second one is allowed', async () => {
  const sizes: number[] = []
  const first = Promise.withResolvers<void>()
  const batch = microBatch<number, number>({
    maxRunning: 2,
    maxDelayMs: 1_000,
    maxItems: 50,
    run: async (items) => {
      sizes.push(items.length)
      if (items.includes(0)) await first.promise
      return items
    },
  })
  const answers = Array.from({ length: 50 }, (_, index) => batch.add(index))
  for (let n = 100; n < 120; n += 1) {
    answers.push(batch.add(n))
    await pause(0)
  }
  first.resolve()
  await Promise.all(answers)
  expect(sizes).toEqual([50, 20])
  await batch.stop()
})

test('a call does not wait for a run that hangs, when a second one is allowed', async () => {
  const first = Promise.withResolvers<void>()
  const batch = microBatch<string, string>({
    maxRunning: 2,
    run: async (items) => {
      if (items.includes('slow')) await first.promise
      return items
    },
  })
  const slow = batch.add('slow')
  await pause(10)
  expect(await batch.add('quick')).toBe('quick')
  first.resolve()
  expect(await slow).toBe('slow')
  await batch.stop()
})

test('a single call does not wait longer than maxDelayMs for others', async () => {
  jest.useFakeTimers()
  try {
    let runs = 0
    const batch = microBatch<string, string>({
      maxDelayMs: 2,
      run: async (items) => {
        runs += 1
        return items
      },
    })
    const answer = batch.add('alone')
    jest.advanceTimersByTime(1)
    expect(runs).toBe(0)
    jest.advanceTimersByTime(1)
    expect(runs).toBe(1)
    expect(await answer).toBe('alone')
  } finally {
    jest.useRealTimers()
  }
})

test('an item whose result is an error fails alone', async () => {
  const batch = microBatch<number, number>({
    run: async (items) => items.map((item) => (item === 2 ? new Error('two') : item)),
  })
  const results = await Promise.allSettled([1, 2, 3].map((item) => batch.add(item)))
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('one item that makes the whole batch throw does not fail the other items', async () => {
  const batch = microBatch<number, number>({
    run: async (items) => {
      if (items.includes(2)) throw new Error('two cannot be stored')
      return items
    },
  })
  const results = await Promise.allSettled([1, 2, 3].map((item) => batch.add(item)))
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('an outage fails the batch once, without retrying its items separately', async () => {
  let runs = 0
  const batch = microBatch<number, number>({
    run: async () => {
      runs += 1
      throw new Fault('unavailable', 'database', 'Try again.')
    },
  })
  const results = await Promise.allSettled([1, 2, 3].map((item) => batch.add(item)))
  expect(results.every((result) => result.status === 'rejected')).toBe(true)
  expect(runs).toBe(1)
})

test('more than maxQueued waiting calls are refused as unavailable, the others are served', async () => {
  const batch = microBatch<number, number>({
    maxItems: 1,
    maxQueued: 3,
    maxDelayMs: 0,
    run: async (items) => {
      await pause(5)
      return items
    },
  })
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => batch.add(index)))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const result of refused) expect(result.reason).toMatchObject({ code: 'unavailable', reason: 'too_busy' })
  expect(results.length - refused.length).toBeGreaterThanOrEqual(3)
})

test('a run that returns too few results fails every call, and no call hangs', async () => {
  const batch = microBatch<number, number>({ run: async () => [] })
  const results = await Promise.allSettled([batch.add(1), batch.add(2)])
  expect(results.every((result) => result.status === 'rejected')).toBe(true)
})

test('stopping finishes the queued calls and refuses later ones', async () => {
  const done: number[] = []
  const batch = microBatch<number, number>({
    maxItems: 2,
    maxDelayMs: 1_000,
    run: async (items) => {
      await pause(2)
      done.push(...items)
      return items
    },
  })
  const answers = [1, 2, 3, 4, 5].map((item) => batch.add(item))
  await batch.stop()
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5])
  expect(done).toEqual([1, 2, 3, 4, 5])
  await expect(batch.add(6)).rejects.toMatchObject({ code: 'unavailable' })
})
