import { expect, jest, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { consuming, namesOf, outcomes, rowOf, settled } from './consuming.ts'

test('the durable consumer hears one subject and outlives the process', async () => {
  const { durables } = await consuming(async () => undefined, { batch: 100 })
  expect(durables).toMatchObject([
    {
      durable_name: 'ledger__on-gate-changed',
      filter_subject: 't1.events.ledger.gate_changed',
      ack_policy: 'explicit',
      deliver_policy: 'all',
      max_deliver: -1,
      max_ack_pending: 400,
    },
  ])
})

test('an event that was handled is acknowledged, counted, and its caller is the actor of the event', async () => {
  const workspaceId = newId()
  const { deliver, callers } = await consuming(async () => undefined)
  const told = deliver([rowOf('a', workspaceId)])
  await settled()
  expect(told).toEqual(['ack'])
  expect(callers).toMatchObject([
    { workspaceId, actor: 'tester', actorKind: 'system', correlationId: 'c-a', role: null },
  ])
  expect(await outcomes()).toEqual({ handled: 1 })
})

test('an event is acknowledged after its handler has returned, not before', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { deliver } = await consuming(() => promise)
  const told = deliver([rowOf('a')])
  await settled()
  expect(told).toEqual([])
  resolve()
  await settled()
  expect(told).toEqual(['ack'])
})

test('delays double from 200 ms with each attempt, up to a minute, half of each at random', async () => {
  const random = jest.spyOn(Math, 'random')
  const { deliver } = await consuming(() => Promise.reject(new Error('not yet')))
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    const longest = Math.min(60_000, 100 * 2 ** attempt)
    for (const [share, expected] of [
      [0, longest / 2],
      [1, longest],
    ] as const) {
      random.mockReturnValue(share)
      const told = deliver([rowOf('a')], attempt)
      await settled()
      expect(told).toEqual([{ againAfterMs: expected }])
    }
  }
  expect(await outcomes()).toEqual({ retried: 18 })
})

test.each([
  ['an outage of a dependency', new Fault('unavailable', 'database', 'later'), 1, true],
  ['a limit of a dependency', new Fault('resource_exhausted', 'rate', 'later'), 9, true],
  ['an unexpected error', new TypeError('oops'), 9, true],
  ['an unexpected error at the last attempt', new TypeError('oops'), 10, false],
  ['a refusal', new Fault('invalid_argument', 'name', 'no'), 1, false],
  ['an unknown row', new Fault('not_found', 'row', 'no'), 1, false],
  ['a conflict', new Fault('conflict', 'row', 'no'), 1, false],
])('%s is retried or becomes a dead letter', async (_, error, attempt, isRetried) => {
  const { deliver } = await consuming(() => Promise.reject(error))
  deliver([rowOf('a')], attempt)
  await settled()
  // no dead letter can be stored here, so it is counted neither as retried nor as dead
  expect(await outcomes()).toEqual(isRetried ? { retried: 1 } : {})
})

test('during an outage an event is retried without limit, and counted as waiting from the tenth attempt on', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(1)
  const { deliver } = await consuming(() => Promise.reject(new Fault('unavailable', 'automation_enabled', 'later')))
  const told = [9, 10, 11, 5_000].map((attempt) => deliver([rowOf('a')], attempt))
  await settled()
  expect(told).toEqual([51_200, 60_000, 60_000, 60_000].map((ms) => [{ againAfterMs: ms }]))
  expect(await outcomes()).toEqual({ retried: 1, waiting: 3 })
})

test('after an outage of many attempts, another error makes a dead letter', async () => {
  const { deliver } = await consuming(() => Promise.reject(new TypeError('oops')))
  deliver([rowOf('a')], 40)
  await settled()
  expect(await outcomes()).toEqual({})
})

test('an event whose dead letter cannot be stored is delivered again, so that it is never lost', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(1)
  const { deliver } = await consuming(() => Promise.reject(new Fault('invalid_argument', 'name', 'no')))
  const told = deliver([rowOf('a')], 10)
  await settled()
  expect(told).toEqual([{ againAfterMs: 60_000 }])
  expect(await outcomes()).toEqual({})
})

test('events that wait are kept from coming again every 10 s, and no longer after they are handled', async () => {
  const held = Promise.withResolvers<void>()
  const { deliver } = await consuming(() => held.promise)
  const told = [deliver([rowOf('a')]), deliver([rowOf('b')]), deliver([rowOf('c')])]
  await settled()
  await jest.advanceTimersByTimeAsync(9_999)
  expect(told).toEqual([[], [], []])
  await jest.advanceTimersByTimeAsync(1)
  expect(told).toEqual([['working'], ['working'], ['working']])
  held.resolve()
  await settled()
  expect(told).toEqual(Array.from({ length: 3 }, () => ['working', 'ack']))
  await jest.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual(Array.from({ length: 3 }, () => ['working', 'ack']))
})

test('a stopping consumer finishes what it handles and gives everything else back at once', async () => {
  const held = Promise.withResolvers<void>()
  const handled: string[] = []
  const { deliver, stop } = await consuming(
    async (_, events) => {
      await held.promise
      handled.push(...namesOf(events))
    },
    { batch: 2 },
  )
  const one = newId()
  const told = [deliver([rowOf('a'), rowOf('b', one)]), deliver([rowOf('c')]), deliver([rowOf('d')])]
  await settled()
  const stopped = stop()
  held.resolve()
  await jest.advanceTimersByTimeAsync(1_000)
  await stopped
  expect(handled).toEqual(['a'])
  // the message of `a` and `b` comes again whole, and the inbox drops `a`
  expect(told).toEqual([[{ againAfterMs: 0 }], [{ againAfterMs: 0 }], [{ againAfterMs: 0 }]])
})

test('a consumer that the server closes is opened again and hears the next event', async () => {
  const handled: string[] = []
  const { deliver, sources, durables } = await consuming(async (_, events) => void handled.push(...namesOf(events)))
  sources[0]!.close(new Error('leader changed'))
  await until(() => sources.length === 2)
  expect(durables[1]).toMatchObject({ name: 'ledger__on-gate-changed' })
  const told = deliver([rowOf('a')])
  await settled()
  expect([handled, told]).toEqual([['a'], ['ack']])
})

test('an unreadable message is terminated and counted, and the next event is handled', async () => {
  const handled: string[] = []
  const { deliver } = await consuming(async (_, events) => void handled.push(...namesOf(events)))
  const told = [
    deliver([{ ...rowOf('forged'), event: 'alert_raised' }]),
    deliver([{ ...rowOf('broken'), data: Buffer.from([255]).toString('base64') }]),
    deliver([rowOf('fine')]),
  ]
  await settled()
  expect(told).toEqual([['term'], ['ack'], ['ack']])
  expect(handled).toEqual(['fine'])
  expect(await outcomes()).toEqual({ dropped: 2, handled: 1 })
})
