import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { runPolls } from '../src/repeat.ts'
import { createService, repeat, type Service } from '../src/service.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
})
afterEach(() => {
  jest.useRealTimers()
})

const service = createService('test', { logLevel: 'silent' })
const everyMs = 10_000

/** A job that ends when the test says so, and notes when it began. */
function heldJob() {
  const began: number[] = []
  let end: (result?: 'finished' | 'unfinished' | Error) => void = () => undefined
  const start = Date.now()
  const job = repeat(service, 'job', everyMs, () => {
    began.push(Date.now() - start)
    return new Promise<'finished' | 'unfinished'>((resolve, reject) => {
      end = (result = 'finished') => (result instanceof Error ? reject(result) : resolve(result))
    })
  })
  const ends = async (result?: Parameters<typeof end>[0]) => {
    end(result)
    await jest.advanceTimersByTimeAsync(0)
  }
  return { job, began, ends, pass: (ms: number) => jest.advanceTimersByTimeAsync(ms) }
}

test('a job runs at once, then each time its interval after its end, not after its beginning', async () => {
  const { began, ends, pass, job } = heldJob()
  expect(began).toEqual([0])
  await pass(25_000)
  await ends()
  await pass(everyMs)
  expect(began).toEqual([0, 35_000])
  await ends()
  await job.stop()
})

test('a job that fails runs again after its interval', async () => {
  const { began, ends, pass, job } = heldJob()
  await ends(new Error('no'))
  await pass(everyMs - 1)
  expect(began).toEqual([0])
  await pass(1)
  expect(began).toEqual([0, everyMs])
  await ends()
  await job.stop()
})

test('an unfinished job runs again after a second', async () => {
  const { began, ends, pass, job } = heldJob()
  await ends('unfinished')
  await pass(1_000)
  expect(began).toEqual([0, 1_000])
  await ends()
  await job.stop()
})

test('an unfinished job with an interval below a second keeps that interval', async () => {
  const began: number[] = []
  const start = Date.now()
  const job = repeat(service, 'job', 200, async () => {
    began.push(Date.now() - start)
    return 'unfinished'
  })
  await jest.advanceTimersByTimeAsync(450)
  expect(began).toEqual([0, 200, 400])
  await job.stop()
})

test('a job that is woken runs now, and its interval starts from there', async () => {
  const { began, ends, pass, job } = heldJob()
  await ends()
  await pass(4_000)
  job.wake()
  await ends()
  await pass(everyMs - 1)
  expect(began).toEqual([0, 4_000])
  await pass(1)
  expect(began).toEqual([0, 4_000, 4_000 + everyMs])
  await ends()
  await job.stop()
})

test('a job that is woken while it runs, however often, runs once more at its end', async () => {
  const { began, ends, pass, job } = heldJob()
  job.wake()
  job.wake()
  await pass(3_000)
  job.wake()
  expect(began).toEqual([0])
  await ends()
  expect(began).toEqual([0, 3_000])
  await ends()
  await pass(everyMs - 1)
  expect(began).toEqual([0, 3_000])
  await job.stop()
})

test('wakeWithin runs the job at its time at the latest, counted from the first request', async () => {
  const { began, ends, pass, job } = heldJob()
  await ends()
  job.wakeWithin(500)
  await pass(300)
  job.wakeWithin(500)
  await pass(200)
  expect(began).toEqual([0, 500])
  await ends()
  job.wakeWithin(500)
  await pass(500)
  expect(began).toEqual([0, 500, 1_000])
  await ends()
  await job.stop()
})

test('a stop waits for the run in progress, and nothing runs after it', async () => {
  const { began, ends, pass, job } = heldJob()
  job.wake()
  job.wakeWithin(100)
  let isStopped = false
  const stopped = job.stop().then(() => (isStopped = true))
  await pass(50)
  expect(isStopped).toBe(false)
  await ends()
  await stopped
  expect(jest.getTimerCount()).toBe(0)
  job.wake()
  job.wakeWithin(1)
  await pass(100_000)
  expect(began).toEqual([0])
})

/** A job that notes when it runs, from now on. */
function notedJob(of: Service, intervalMs: number, from = Date.now()) {
  const began: number[] = []
  const job = repeat(of, 'job', intervalMs, async () => void began.push(Date.now() - from))
  return { began, job }
}

test('a job runs together with another one of its service, up to a second and a quarter of its interval early', async () => {
  const from = Date.now()
  const first = notedJob(service, 2_000, from)
  await jest.advanceTimersByTimeAsync(400)
  const others = [2_000, 5_000].map((ms) => notedJob(service, ms, from))
  await jest.advanceTimersByTimeAsync(1_600)
  const [near, far] = others
  expect(first.began).toEqual([0, 2_000])
  expect(near!.began).toEqual([400, 2_000])
  expect(far!.began).toEqual([400])
  await jest.advanceTimersByTimeAsync(4_000)
  expect(first.began).toEqual([0, 2_000, 4_000, 6_000])
  expect(near!.began).toEqual([400, 2_000, 4_000, 6_000])
  expect(far!.began).toEqual([400, 5_400])
  await Promise.all([first, ...others].map(({ job }) => job.stop()))
  expect(jest.getTimerCount()).toBe(0)
})

test('jobs of another service and stopped jobs do not run early', async () => {
  const first = notedJob(service, 2_000)
  await jest.advanceTimersByTimeAsync(400)
  const other = notedJob(createService('other', { logLevel: 'silent' }), 2_000)
  const stopped = notedJob(service, 2_000)
  await stopped.job.stop()
  await jest.advanceTimersByTimeAsync(1_600)
  expect(first.began).toEqual([0, 2_000])
  expect(other.began).toEqual([0])
  expect(stopped.began).toEqual([0])
  await Promise.all([first.job.stop(), other.job.stop()])
})

test('a test runs the polls of a service now, and no job with a long interval and no stopped one', async () => {
  const [poll, purge, stopped] = [10_000, 60_000, 1_000].map((ms) => notedJob(service, ms))
  await jest.advanceTimersByTimeAsync(100)
  await stopped!.job.stop()
  runPolls(service)
  await jest.advanceTimersByTimeAsync(0)
  expect([poll!.began, purge!.began, stopped!.began]).toEqual([[0, 100], [0], [0]])
  await Promise.all([poll!.job.stop(), purge!.job.stop()])
  runPolls(service)
  expect(poll!.began).toEqual([0, 100])
})

test('however it is woken, a job never overlaps itself and never waits longer than its interval', async () => {
  const step = fc.record({
    afterMs: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 12_000 })),
    act: fc.constantFrom('wake', 'wakeWithin', 'nothing'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat({ max: 3_000 }), async (steps, lastsMs) => {
      let running = 0
      let lastEnd = Date.now()
      const job = repeat(service, 'job', everyMs, async () => {
        expect((running += 1)).toBe(1)
        expect(Date.now() - lastEnd).toBeLessThanOrEqual(everyMs)
        await new Promise((resolve) => setTimeout(resolve, lastsMs))
        running -= 1
        lastEnd = Date.now()
      })
      for (const { afterMs, act } of steps) {
        await jest.advanceTimersByTimeAsync(afterMs)
        if (act === 'wake') job.wake()
        else if (act === 'wakeWithin') job.wakeWithin(100)
      }
      const stopped = job.stop()
      await jest.advanceTimersByTimeAsync(lastsMs)
      await stopped
      expect(running).toBe(0)
    }),
    { numRuns: 30 },
  )
})

test('the first runs of the jobs of a service follow one another; one that takes more than a second does not delay the next', async () => {
  const starting = createService('starting', { logLevel: 'silent' })
  const began: string[] = []
  const ends: (() => void)[] = []
  const jobs = ['first', 'second', 'third', 'fourth'].map((name) =>
    repeat(starting, name, everyMs, () => {
      began.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  expect(began).toEqual(['first'])
  ends[0]!()
  await jest.advanceTimersByTimeAsync(0)
  expect(began).toEqual(['first', 'second'])
  await jest.advanceTimersByTimeAsync(1_000)
  expect(began).toEqual(['first', 'second', 'third'])
  jobs[3]!.wake()
  expect(began).toEqual(['first', 'second', 'third', 'fourth'])
  for (const end of ends) end()
  await jest.advanceTimersByTimeAsync(0)
  expect(began).toHaveLength(4)
  await Promise.all(jobs.map((job) => job.stop()))
})

test('a job that is stopped before its first run never runs', async () => {
  const starting = createService('starting', { logLevel: 'silent' })
  const began: string[] = []
  let end: () => void = () => undefined
  const first = repeat(starting, 'first', everyMs, () => new Promise<void>((resolve) => (end = resolve)))
  const second = repeat(starting, 'second', everyMs, async () => void began.push('second'))
  await second.stop()
  end()
  await jest.advanceTimersByTimeAsync(everyMs - 1)
  expect(began).toEqual([])
  await first.stop()
})
