import { expect, jest, test } from '@jest/globals'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import type { CallScope } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { ServerEnd, settled } from './memory-stream.ts'
import { answersOf, caller, failureOf, frame, held, repliesOf, served } from './served-exchange.ts'

test('an unknown method, a Fault and an unexpected error each fail their own call, and an unexpected error shows no detail', async () => {
  const { end, errors } = served((text) => {
    if (text === 'fault') throw new Fault('conflict', 'taken', 'This name is taken.')
    if (text === 'bug') return Promise.reject(new TypeError('insert ada@example.com'))
    return Promise.resolve(Buffer.from('fine'))
  })
  end.receive({ calls: [frame(1, '', { method: 'x/Undo' }), frame(2, 'fault'), frame(3, 'bug'), frame(4)] })
  await settled()
  expect(failureOf(end, 1)).toMatchObject({ code: status.UNIMPLEMENTED })
  expect(failureOf(end, 1)!.reason).toBeUndefined()
  expect(failureOf(end, 2)).toMatchObject({
    code: status.ALREADY_EXISTS,
    reason: 'taken',
    message: 'This name is taken.',
  })
  expect(failureOf(end, 3)).toMatchObject({ code: status.INTERNAL, message: 'internal error' })
  expect(failureOf(end, 3)!.reason).toBeUndefined()
  expect(repliesOf(end).get(4)!.toString()).toBe('fine')
  expect(errors).toEqual([])
})

test('an operation gets the caller, the trace and the deadline of its own call', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'], now: 1_000_000 })
  try {
    const seen: { scope: CallScope; trace: Carrier }[] = []
    const { end } = served(async (_, scope, trace) => {
      seen.push({ scope, trace })
      return Buffer.alloc(0)
    })
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    end.receive({
      calls: [
        frame(1, '', { timeoutMs: 250 }),
        frame(2, '', { traceparent, caller: { ...caller, workspaceId: 'w1', role: 'owner' } }),
        frame(3, '', { traceparent, tracestate: 'x=1' }),
      ],
    })
    await settled()
    expect(seen.map(({ scope }) => scope.deadline)).toEqual([1_000_250, 1_060_000, 1_060_000])
    expect(seen.map(({ trace }) => trace)).toEqual([{}, { traceparent }, { traceparent, tracestate: 'x=1' }])
    expect(seen[1]!.scope.caller).toMatchObject({ actor: 'test', workspaceId: 'w1', role: 'owner', organization: null })
  } finally {
    jest.useRealTimers()
  }
})

test('a cancelled call is aborted and not answered, and the other calls are answered', async () => {
  const { calls, method } = held()
  const { end } = served(method)
  end.receive({ calls: [frame(1, 'a'), frame(2, 'b')] })
  end.receive({ cancelled: [1] })
  expect(calls.get('a')!.scope.signal.reason).toMatchObject({ code: 'unavailable', reason: 'cancelled' })
  expect(calls.get('b')!.scope.signal.aborted).toBe(false)
  calls.get('a')!.resolve()
  calls.get('b')!.resolve()
  await settled()
  expect(answersOf(end).map(({ id }) => id)).toEqual([2])
})

test('a cancellation of a call that is unknown, answered or cancelled already changes nothing', async () => {
  const { calls, method } = held()
  const { end, errors } = served(method)
  end.receive({ calls: [frame(1, 'a'), frame(2, 'b')] })
  calls.get('a')!.resolve()
  await settled()
  end.receive({ cancelled: [1, 7, 2 ** 32 - 1] })
  calls.get('b')!.resolve()
  await settled()
  end.receive({ cancelled: [2, 2] })
  await settled()
  expect([...repliesOf(end).keys()]).toEqual([1, 2])
  expect(errors).toEqual([])
})

test('a call that exceeds its deadline is aborted and not answered, however late its operation ends', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  try {
    const { calls, method } = held()
    const { end } = served(method)
    end.receive({ calls: [frame(1, 'a', { timeoutMs: 100 }), frame(2, 'b', { timeoutMs: 5_000 })] })
    jest.advanceTimersByTime(99)
    expect(calls.get('a')!.scope.signal.aborted).toBe(false)
    jest.advanceTimersByTime(1)
    expect(calls.get('a')!.scope.signal.reason).toMatchObject({ code: 'unavailable', reason: 'deadline' })
    calls.get('a')!.reject(new Error('aborted'))
    calls.get('b')!.resolve()
    await settled()
    expect(answersOf(end).map(({ id }) => id)).toEqual([2])
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})

test('a call with a timeout above the limit of a timer is not aborted early', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  const timer = jest.spyOn(globalThis, 'setTimeout')
  try {
    const { calls, method } = held()
    const { end } = served(method)
    end.receive({ calls: [frame(1, 'a', { timeoutMs: 2 ** 32 - 1 })] })
    // Node takes a longer one for a timer of 1 ms.
    expect(timer).toHaveBeenCalled()
    for (const [, ms] of timer.mock.calls) expect(ms).toBeLessThanOrEqual(2 ** 31 - 1)
    jest.advanceTimersByTime(60_000)
    calls.get('a')!.resolve()
    await settled()
    expect(repliesOf(end).get(1)!.toString()).toBe('a')
  } finally {
    timer.mockRestore()
    jest.useRealTimers()
  }
})

test.each([
  ['an id of zero', [[0]]],
  ['an id twice in one message', [[1, 1]]],
  ['an id twice in two messages', [[1], [1]]],
  ['an id below one that was used', [[5], [4]]],
])('%s refuses the stream and aborts its earlier calls', async (_, messages) => {
  const { calls, method } = held()
  const { end, errors } = served(method)
  for (const ids of messages) end.receive({ calls: ids.map((id) => frame(id, `call ${id}`)) })
  expect(errors).toEqual([{ code: status.INVALID_ARGUMENT, details: expect.any(String) }])
  for (const { scope } of calls.values()) expect(scope.signal.aborted).toBe(true)
  for (const { resolve } of calls.values()) resolve()
  await settled()
  expect(end.written).toEqual([])
})

test('a call without a caller refuses the stream and does not run', async () => {
  const { calls, method } = held()
  const { end, errors } = served(method)
  end.receive({ calls: [frame(1, 'a', { caller: undefined }), frame(2, 'b')] })
  expect(errors).toHaveLength(1)
  expect(calls.size).toBe(0)
})

test('ids may have gaps, as long as they increase', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { minLength: 1 }), async (ids) => {
      const { end, errors } = served(async () => Buffer.alloc(0))
      const inOrder = ids.toSorted((a, b) => a - b)
      for (const id of inOrder) end.receive({ calls: [frame(id)] })
      while (repliesOf(end).size < ids.length) await settled(1)
      expect(errors).toEqual([])
      expect([...repliesOf(end).keys()]).toEqual(inOrder)
    }),
    { numRuns: 30 },
  )
})

test('a half-closed stream ends after the last answer, not before', async () => {
  const { calls, method } = held()
  const { end } = served(method)
  end.receive({ calls: [frame(1, 'a'), frame(2, 'b')] })
  end.emit('end')
  calls.get('a')!.resolve()
  await settled()
  expect(end.hasEnded).toBe(false)
  calls.get('b')!.resolve()
  await settled()
  expect([...repliesOf(end).keys()]).toEqual([1, 2])
  expect(end.hasEnded).toBe(true)
})

test('a stream without calls ends when the client closes its half', async () => {
  const { end } = served(async () => Buffer.alloc(0))
  expect(end.headersSent).toBe(1)
  end.emit('end')
  await settled()
  expect(end.hasEnded).toBe(true)
  expect(end.written).toEqual([])
})

test.each(['cancelled', 'error'])(
  'a broken stream (%s) aborts its calls and writes no more messages',
  async (event) => {
    const { calls, method } = held()
    const { end } = served(method)
    end.receive({ calls: [frame(1, 'a'), frame(2, 'b')] })
    end.emit(event, new Error('gone'))
    for (const { scope } of calls.values()) expect(scope.signal.aborted).toBe(true)
    calls.get('a')!.resolve()
    calls.get('b')!.reject(new Error('too'))
    end.receive({ calls: [frame(3, 'c')] })
    await settled()
    expect(end.written).toEqual([])
    expect(calls.has('c')).toBe(false)
  },
)

test('a draining server notifies every stream, answers calls in progress and refuses new streams', async () => {
  const { calls, method } = held()
  const { end, exchange } = served(method)
  const gone = new ServerEnd()
  exchange.handle(gone.stream)
  gone.on('error', () => undefined)
  gone.emit('cancelled')
  end.receive({ calls: [frame(1, 'a')] })
  exchange.drain()
  expect(end.written.map(({ isDraining }) => isDraining)).toEqual([true])
  expect(gone.written).toEqual([])
  const late = new ServerEnd()
  const refused: { code: number }[] = []
  late.on('error', (error) => refused.push(error))
  exchange.handle(late.stream)
  expect(refused).toEqual([{ code: status.UNAVAILABLE, details: expect.any(String) }])
  expect(late.headersSent).toBe(0)
  calls.get('a')!.resolve()
  await settled()
  expect(repliesOf(end).get(1)!.toString()).toBe('a')
})
