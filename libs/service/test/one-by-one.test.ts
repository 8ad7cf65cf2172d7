import { beforeEach, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { retryInMs } from '../src/item-retry.ts'
import { oneByOne, type Item } from '../src/one-by-one.ts'
import { createService, type Service } from '../src/service.ts'

let service: Service
let now = 0
beforeEach(() => {
  service = createService('test', { logLevel: 'silent' })
  now = 1_000_000
})
const jobOf = () => oneByOne(service, 'the-job', () => now)
const item = (id: string): Item => ({ id, workspace_id: 'w1' })
const outage = () => new Fault('unavailable', 'database', 'later')

const failures = async () => {
  const { values } = await service.metrics.getSingleMetric('lettergate_job_item_failures_total')!.get()
  return values.map(({ labels, value }) => [labels['job'], value])
}

test('items are carried out one after the other, in their order', async () => {
  const seen: string[] = []
  let running = 0
  await jobOf().forEach(['a', 'b', 'c'].map(item), async ({ id }) => {
    expect((running += 1)).toBe(1)
    await Promise.resolve()
    running -= 1
    seen.push(id)
  })
  expect(seen).toEqual(['a', 'b', 'c'])
})

test('a failing item stops none of those behind it, is counted, and waits for its next attempt', async () => {
  const job = jobOf()
  const seen: string[] = []
  await job.forEach(['a', 'b', 'c'].map(item), ({ id }) => {
    seen.push(id)
    return id === 'b' ? Promise.reject(new Error('no')) : Promise.resolve()
  })
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(job.postponed()).toEqual(['b'])
  expect(await failures()).toEqual([['the-job', 1]])
})

test('an item may throw instead of rejecting', async () => {
  const job = jobOf()
  await job.forEach([item('a')], () => {
    throw new Error('no')
  })
  expect(job.postponed()).toEqual(['a'])
})

test('the delay of an item doubles with each failure up to five minutes, and in an outage up to five seconds', async () => {
  for (const [error, longest] of [
    [new Error('no'), 300_000],
    [outage(), 5_000],
  ] as const) {
    const job = jobOf()
    for (let times = 1; times <= 12; times += 1) {
      await job.forEach([item('a')], () => Promise.reject(error))
      const waits = Math.min(longest, 1_000 * 2 ** (times - 1))
      now += waits - 1
      expect(job.postponed()).toEqual(['a'])
      now += 1
      expect(job.postponed()).toEqual([])
    }
  }
})

test('a success starts the delays anew', async () => {
  const job = jobOf()
  const fail = () => job.forEach([item('a')], () => Promise.reject(new Error('no')))
  for (let times = 0; times < 5; times += 1) await fail()
  await job.forEach([item('a')], () => Promise.resolve())
  expect(job.postponed()).toEqual([])
  await fail()
  now += 1_000
  expect(job.postponed()).toEqual([])
})

test('an item that nobody tries again is dropped from memory, and then fails as if for the first time', async () => {
  const job = jobOf()
  for (let times = 0; times < 6; times += 1) await job.forEach([item('a')], () => Promise.reject(new Error('no')))
  now += 4 * 32_000
  expect(job.postponed()).toEqual([])
  await job.forEach([item('a')], () => Promise.reject(new Error('no')))
  now += 1_000
  expect(job.postponed()).toEqual([])
})

test('an item is remembered between its attempts, so that its delay grows', async () => {
  const job = jobOf()
  for (let times = 0; times < 6; times += 1) await job.forEach([item('a')], () => Promise.reject(new Error('no')))
  now += 4 * 32_000 - 1
  job.postponed()
  await job.forEach([item('a')], () => Promise.reject(new Error('no')))
  now += 63_999
  expect(job.postponed()).toEqual(['a'])
})

test('jobs of one process share the counter, each under its own name', async () => {
  const other = oneByOne(service, 'another-job', () => now)
  await jobOf().forEach([item('a')], () => Promise.reject(new Error('no')))
  await other.forEach([item('a'), item('b')], () => Promise.reject(new Error('no')))
  expect(await failures()).toEqual([
    ['the-job', 1],
    ['another-job', 2],
  ])
})

test('however items fail and time passes, exactly the items whose delay has not ended are postponed', async () => {
  const step = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    result: fc.constantFrom('works', 'fails', 'outage'),
    afterMs: fc.oneof(fc.nat({ max: 2_000 }), fc.nat({ max: 400_000 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const job = jobOf()
      const model = new Map<string, { times: number; retryAt: number; dropAt: number }>()
      for (const { id, result, afterMs } of steps) {
        now += afterMs
        for (const [known, { dropAt }] of model) if (now >= dropAt) model.delete(known)
        expect(job.postponed().toSorted()).toEqual(
          [...model].flatMap(([known, { retryAt }]) => (now < retryAt ? [known] : [])).toSorted(),
        )
        await job.forEach([item(id)], () =>
          result === 'works' ? Promise.resolve() : Promise.reject(result === 'outage' ? outage() : new Error('no')),
        )
        if (result === 'works') model.delete(id)
        else {
          const times = (model.get(id)?.times ?? 0) + 1
          const waits = retryInMs(times, result === 'outage')
          model.set(id, { times, retryAt: now + waits, dropAt: now + 4 * waits })
        }
      }
    }),
  )
})
