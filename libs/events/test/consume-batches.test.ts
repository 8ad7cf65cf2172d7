import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { newId } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { consuming, namesOf, outcomes, rowOf, settled } from './consuming.ts'

test('events that wait are handled together, up to the batch size, each workspace separately and in order', async () => {
  const [one, two] = [newId(), newId()]
  const handled: (readonly [string | null, string[]])[] = []
  const first = Promise.withResolvers<void>()
  const { deliver } = await consuming(
    async (ctx, events) => {
      if (handled.push([ctx.workspaceId, namesOf(events)]) === 1) await first.promise
    },
    { batch: 4 },
  )
  deliver([rowOf('first')])
  await settled()
  deliver([rowOf('a', one), rowOf('b', two), rowOf('c', one)])
  deliver([rowOf('d', two), rowOf('e', null), rowOf('f', one)])
  first.resolve()
  await settled()
  expect(handled).toEqual([
    [null, ['first']],
    [one, ['a', 'c']],
    [two, ['b', 'd']],
    [null, ['e']],
    [one, ['f']],
  ])
})

test('with turns, a workspace with thousands of events delays the event of another one by a batch', async () => {
  const [many, one] = [newId(), newId()]
  const handled: string[] = []
  const first = Promise.withResolvers<void>()
  const { deliver, durables } = await consuming(
    async (_, events) => {
      handled.push(...namesOf(events))
      if (handled.length === 1) await first.promise
    },
    { batch: 10, takesTurns: true },
  )
  deliver([rowOf('first', many)])
  await settled()
  const names = Array.from({ length: 3_000 }, (_, n) => `n${n}`)
  for (let at = 0; at < names.length; at += 300) deliver(names.slice(at, at + 300).map((name) => rowOf(name, many)))
  deliver([rowOf('other', one)])
  first.resolve()
  await settled(700)
  expect(handled.indexOf('other')).toBeLessThanOrEqual(10)
  expect(handled.filter((name) => name !== 'other')).toEqual(['first', ...names])
  expect(durables.at(-1)).toMatchObject({ max_ack_pending: 2_000 })
})

test('a failing batch is tried one by one, so that only the failing event comes again', async () => {
  const handled: string[][] = []
  const { deliver } = await consuming(
    async (_, events) => {
      handled.push(namesOf(events))
      if (namesOf(events).includes('bad')) throw new Error('no')
    },
    { batch: 10 },
  )
  const told = deliver(['a', 'bad', 'c'].map((name) => rowOf(name)))
  await settled()
  expect(handled).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  expect(told).toEqual([{ againAfterMs: expect.any(Number) }])
  expect(await outcomes()).toEqual({ handled: 2, retried: 1 })
})

test('in an outage a batch is not tried one by one', async () => {
  let calls = 0
  const { deliver } = await consuming(
    () => {
      calls += 1
      return Promise.reject(new Fault('unavailable', 'database', 'later'))
    },
    { batch: 10 },
  )
  const told = deliver([rowOf('a'), rowOf('b'), rowOf('c')])
  await settled()
  expect(calls).toBe(1)
  expect(told).toHaveLength(1)
  expect(await outcomes()).toEqual({ retried: 3 })
})

test('without lanes one batch follows the other, in the order of arrival', async () => {
  const handled: string[] = []
  let running = 0
  let most = 0
  const { deliver } = await consuming(
    async (_, events) => {
      most = Math.max(most, (running += 1))
      await settled(2)
      running -= 1
      handled.push(...namesOf(events))
    },
    { batch: 3 },
  )
  const names = Array.from({ length: 20 }, (_, n) => `n${n}`)
  for (const name of names) deliver([rowOf(name)])
  await settled(200)
  expect(handled).toEqual(names)
  expect(most).toBe(1)
})

test('events of one lane are handled in order, and a busy lane does not hold up another', async () => {
  const handled: string[] = []
  const held = Promise.withResolvers<void>()
  const { deliver } = await consuming(
    async (_, events) => {
      if (namesOf(events).includes('held-0')) await held.promise
      handled.push(...namesOf(events))
    },
    { batch: 2, lanes: { count: 2, of: ({ data }) => (data.name.startsWith('held') ? 1 : 0) } },
  )
  const told = deliver(['held-0', 'free-0', 'free-1', 'held-1', 'free-2', 'held-2'].map((name) => rowOf(name)))
  await settled()
  expect(handled).toEqual(['free-0', 'free-1', 'free-2'])
  expect(told).toEqual([])
  held.resolve()
  await settled()
  expect(handled.slice(3)).toEqual(['held-0', 'held-1', 'held-2'])
  expect(told).toEqual(['ack'])
})

test('events of a small message are handled together, those of a large one by lane', async () => {
  const handled: string[][] = []
  const { deliver } = await consuming(
    (_, events) => {
      handled.push(namesOf(events))
      return Promise.resolve()
    },
    { batch: 10, lanes: { count: 2, eventsMin: 3, of: ({ data }) => (data.name.startsWith('even') ? 0 : 1) } },
  )
  const small = deliver([rowOf('even-0'), rowOf('odd-0')])
  await settled()
  expect(handled).toEqual([['even-0', 'odd-0']])
  const large = deliver([rowOf('even-1'), rowOf('odd-1'), rowOf('even-2')])
  await settled()
  expect(handled).toHaveLength(3)
  expect(handled.slice(1)).toEqual(expect.arrayContaining([['even-1', 'even-2'], ['odd-1']]))
  expect([small, large]).toEqual([['ack'], ['ack']])
})

test('a small message is handled in a lane that is idle', async () => {
  const handled: string[] = []
  const held = Promise.withResolvers<void>()
  const { deliver } = await consuming(
    async (_, events) => {
      if (namesOf(events).includes('held')) await held.promise
      handled.push(...namesOf(events))
    },
    { batch: 1, lanes: { count: 2, eventsMin: 3, of: () => 0 } },
  )
  deliver([rowOf('held')])
  await settled()
  deliver([rowOf('free')])
  await settled()
  expect(handled).toEqual(['free'])
  held.resolve()
  await settled()
  expect(handled).toEqual(['free', 'held'])
})

interface Given {
  events: { fails: number; workspace: number }[]
}

test('however messages, failures and workspaces are mixed, every message is answered, and acknowledged only after all its events were handled', async () => {
  const workspaces = [null, newId(), newId()]
  const message: fc.Arbitrary<Given> = fc.record({
    events: fc.array(fc.record({ fails: fc.constantFrom(0, 0, 0, 1, 3), workspace: fc.nat({ max: 2 }) }), {
      minLength: 1,
      maxLength: 5,
    }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (messages, batch, count, eventsMin, takesTurns) => {
        const left = new Map<string, number>()
        const handled = new Map<string, number>()
        const { deliver, stop } = await consuming(
          async (ctx, events) => {
            expect(new Set(events.map(({ workspaceId }) => workspaceId))).toEqual(new Set([ctx.workspaceId]))
            expect(events.length).toBeLessThanOrEqual(batch)
            for (const name of namesOf(events)) {
              const failures = left.get(name)!
              left.set(name, failures - 1)
              if (failures > 0) throw new Error('not yet')
            }
            for (const name of namesOf(events)) handled.set(name, (handled.get(name) ?? 0) + 1)
          },
          takesTurns
            ? { batch, takesTurns }
            : { batch, lanes: { count, eventsMin, of: ({ data }) => Number(data.name.at(-1)) % count } },
        )
        const rows = messages.map(({ events }, m) =>
          events.map(({ fails, workspace }, e) => {
            const name = `${m}-${e}`
            left.set(name, fails)
            return rowOf(name, workspaces[workspace]!)
          }),
        )
        let open = rows.map((own) => ({ own, attempt: 1 }))
        while (open.length > 0) {
          const told = open.map(({ own, attempt }) => ({ own, attempt, answers: deliver(own, attempt) }))
          await settled(60)
          for (const { own, answers } of told) {
            expect(answers).toHaveLength(1)
            if (answers[0] === 'ack')
              for (const { headers } of own) expect(handled.get(headers.correlationId.slice(2))).toBeGreaterThan(0)
          }
          open = told
            .filter(({ answers }) => answers[0] !== 'ack')
            .map(({ own, attempt }) => ({ own, attempt: attempt + 1 }))
        }
        const stopped = stop()
        await jest.advanceTimersByTimeAsync(1_000)
        await stopped
      },
    ),
    { numRuns: 30 },
  )
})
