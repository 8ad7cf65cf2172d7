import { expect, test } from '@jest/globals'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { replyBytesMax, runningMax } from '../src/frames.ts'
import { openCallStream, type StreamCall } from '../src/call-stream.ts'
import type { Failure } from '../src/wire.ts'
import { contentOf, memoryChannel, settled, type ClientEnd } from './memory-stream.ts'

interface Seen extends StreamCall {
  outcomes: (string | Failure)[]
}

/** A call that notes everything that becomes of it. */
function callOf(text: string): Seen {
  const outcomes: Seen['outcomes'] = []
  return {
    ...contentOf(text),
    outcomes,
    answered: (reply) => void outcomes.push(Buffer.from(reply).toString()),
    failed: (failure) => void outcomes.push(failure),
  }
}

function opened() {
  const { channel, streams } = memoryChannel()
  const events: string[] = []
  const stream = openCallStream(channel, {
    onOpen: () => events.push('open'),
    onCapacity: () => events.push('capacity'),
    onDraining: () => events.push('draining'),
    onEnd: (code) => events.push(`end ${code}`),
  })
  const end: ClientEnd = streams[0]!
  return { stream, end, events }
}

async function withCalls(...texts: string[]) {
  const { stream, end, events } = opened()
  end.open()
  const calls = texts.map(callOf)
  stream.send(calls)
  await settled()
  return { stream, end, events, calls }
}

const lost = { code: status.UNAVAILABLE, reason: null, message: 'the stream ended' }

test('a stream has no capacity before it is open and while it writes a message', async () => {
  const { stream, end, events } = opened()
  expect(stream.capacity()).toBe(0)
  end.open()
  expect(stream.capacity()).toBe(runningMax)
  end.isFast = false
  stream.send([callOf('a'), callOf('b')])
  expect(stream.capacity()).toBe(0)
  end.sent()
  expect(stream.capacity()).toBe(runningMax - 2)
  end.open()
  expect(events).toEqual(['open', 'capacity'])
})

test('calls that are sent together share one message, and ids increase over the whole stream', async () => {
  const { stream, end } = await withCalls('a', 'b')
  stream.send([callOf('c')])
  expect(end.written.map(({ calls }) => calls.map(({ id, request }) => [id, Buffer.from(request).toString()]))).toEqual(
    [
      [
        [1, 'a'],
        [2, 'b'],
      ],
      [[3, 'c']],
    ],
  )
})

test('each answer goes to its own call, in whatever order they come', async () => {
  const { end, calls } = await withCalls('a', 'b', 'c')
  end.reply(3, 'for c')
  end.answer(
    { id: 1, outcome: { case: 'failure', value: { code: status.NOT_FOUND, reason: 'row', message: 'gone' } } },
    { id: 2, outcome: { case: 'failure', value: { code: status.INTERNAL, message: 'internal error' } } },
  )
  expect(calls.map(({ outcomes }) => outcomes)).toEqual([
    [{ code: status.NOT_FOUND, reason: 'row', message: 'gone' }],
    [{ code: status.INTERNAL, reason: null, message: 'internal error' }],
    ['for c'],
  ])
})

test('the parts of a reply are joined in order, whatever arrives between them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(1, 2, 3), fc.string()), { maxLength: 40 }),
      fc.tuple(fc.string(), fc.string(), fc.string()),
      async (parts, ends) => {
        const { end, calls } = await withCalls('a', 'b', 'c')
        for (const [id, part] of parts) end.answer({ id, outcome: { case: 'part', value: Buffer.from(part) } })
        for (const [n, rest] of ends.entries()) end.reply(n + 1, rest)
        for (const [n, rest] of ends.entries()) {
          const before = parts.filter(([id]) => id === n + 1).map(([, part]) => Buffer.from(part))
          const whole = Buffer.concat([...before, Buffer.from(rest)]).toString()
          expect(calls[n]!.outcomes).toEqual([whole])
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('parts that exceed the reply limit end the stream', async () => {
  const { end, calls } = await withCalls('a', 'b')
  const part = Buffer.alloc(replyBytesMax / 2)
  end.answer({ id: 1, outcome: { case: 'part', value: part } })
  end.answer({ id: 1, outcome: { case: 'part', value: part } })
  expect(end.isCancelled).toBe(false)
  end.answer({ id: 1, outcome: { case: 'part', value: Buffer.alloc(1) } })
  expect(end.isCancelled).toBe(true)
  expect(calls.map(({ outcomes }) => outcomes)).toEqual([[lost], [lost]])
})

test.each([
  ['of id 0', { id: 0, outcome: { case: 'reply' as const, value: Buffer.alloc(0) } }],
  ['to a call that was never sent', { id: 3, outcome: { case: 'reply' as const, value: Buffer.alloc(0) } }],
  [
    'that is a part of a call that was never sent',
    { id: 9, outcome: { case: 'part' as const, value: Buffer.alloc(0) } },
  ],
  ['without an outcome', { id: 1 }],
])('an answer %s ends the stream and fails its calls in progress', async (_, answer) => {
  const { end, calls, events } = await withCalls('a', 'b')
  end.answer(answer)
  expect(end.isCancelled).toBe(true)
  expect(calls.map(({ outcomes }) => outcomes)).toEqual([[lost], [lost]])
  end.reply(1)
  expect(calls[0]!.outcomes).toEqual([lost])
  expect(events.filter((event) => event.startsWith('end'))).toEqual(['end 0'])
})

test('a cancelled call frees capacity, is reported to the server once, and its late answer is ignored', async () => {
  const { stream, end, calls } = await withCalls('a', 'b')
  stream.drop(calls[0]!, true)
  stream.drop(calls[0]!, true)
  await settled()
  expect(stream.capacity()).toBe(runningMax - 1)
  expect(end.written.flatMap(({ cancelled }) => cancelled)).toEqual([1])
  end.answer({ id: 1, outcome: { case: 'part', value: Buffer.from('x') } })
  end.reply(1)
  end.reply(2)
  expect(calls.map(({ outcomes }) => outcomes)).toEqual([[], ['reply 2']])
  expect(end.isCancelled).toBe(false)
})

test('cancellations during a write share the next message', async () => {
  const { stream, end, calls } = await withCalls('a', 'b', 'c')
  end.isFast = false
  stream.drop(calls[0]!, true)
  stream.drop(calls[1]!, true)
  stream.drop(calls[2]!, true)
  expect(end.written.slice(1).map(({ cancelled }) => cancelled)).toEqual([[1]])
  end.sent()
  expect(end.written.slice(1).map(({ cancelled }) => cancelled)).toEqual([[1], [2, 3]])
  end.sent()
  expect(stream.capacity()).toBe(runningMax)
})

test('a call that exceeded its deadline is not reported to the server, which has the same deadline', async () => {
  const { stream, end, calls } = await withCalls('a')
  stream.drop(calls[0]!, false)
  await settled()
  expect(end.written).toHaveLength(1)
  expect(stream.capacity()).toBe(runningMax)
})

test('a draining server gets no new call and answers those in progress', async () => {
  const { stream, end, events, calls } = await withCalls('a', 'b')
  end.receive({ isDraining: true })
  end.receive({ isDraining: true })
  expect(stream.capacity()).toBe(0)
  expect(end.hasEnded).toBe(true)
  expect(events.filter((event) => event === 'draining')).toHaveLength(1)
  end.reply(1)
  end.reply(2)
  end.emit('end')
  expect(calls.map(({ outcomes }) => outcomes)).toEqual([['reply 1'], ['reply 2']])
  expect(events.at(-1)).toBe('end 0')
})

test('an answer in the same message as the drain notice is delivered', async () => {
  const { end, calls } = await withCalls('a')
  end.receive({ isDraining: true, answers: [{ id: 1, outcome: { case: 'reply', value: Buffer.from('last') } }] })
  expect(calls[0]!.outcomes).toEqual(['last'])
})

test('a stream that never opened is cancelled when it is retired', () => {
  const { stream, end, events } = opened()
  stream.retire()
  expect(end.isCancelled).toBe(true)
  expect(events).toEqual(['end 0'])
  stream.retire()
  stream.abandon()
  expect(events).toEqual(['end 0'])
})

test.each([status.UNAVAILABLE, status.UNIMPLEMENTED, status.INVALID_ARGUMENT])(
  'a stream that breaks with status %i fails its calls in progress once and reports that status',
  async (code) => {
    const { stream, end, events, calls } = await withCalls('a', 'b')
    end.reply(2)
    end.breakOff(code)
    end.breakOff(code)
    end.emit('end')
    expect(calls.map(({ outcomes }) => outcomes)).toEqual([[lost], ['reply 2']])
    expect(events.filter((event) => event.startsWith('end'))).toEqual([`end ${code}`])
    expect(stream.capacity()).toBe(0)
  },
)

test('the address of the other side is that of the connection', () => {
  expect(opened().stream.peer()).toBe('10.0.0.1:1')
})

type Step =
  | { do: 'send'; count: number }
  | { do: 'reply' | 'part' | 'fail' | 'cancel' | 'expire'; of: number }
  | { do: 'drain' | 'turn' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('reply' as const, 'part' as const, 'fail' as const, 'cancel' as const, 'expire' as const),
        of: fc.nat({ max: 30 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('drain' as const) }) },
  ),
  { maxLength: 60 },
)

test('in any order of answers, cancellations and stream end, each call gets one outcome, and a dropped call gets none', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const { stream, end } = opened()
      end.open()
      const calls: Seen[] = []
      const left = new Set<number>()
      const expected = new Map<number, string>()
      const waits = (id: number) => id <= calls.length && !left.has(id) && !expected.has(id)
      for (const step of taken) {
        if (step.do === 'send') {
          const capacity = stream.capacity()
          expect(capacity === 0 || capacity === runningMax - calls.filter((_, n) => waits(n + 1)).length).toBe(true)
          const sent = Array.from({ length: Math.min(step.count, capacity) }, (_, n) => callOf(`call ${n}`))
          if (sent.length > 0) stream.send(sent)
          calls.push(...sent)
        } else if (!('of' in step)) {
          if (step.do === 'turn') await settled(1)
          else end.receive({ isDraining: true })
        } else if (step.of > 0 && step.of <= calls.length) {
          const id = step.of
          const call = calls[id - 1]!
          if (step.do === 'part') end.answer({ id, outcome: { case: 'part', value: Buffer.alloc(0) } })
          else if (step.do === 'cancel' || step.do === 'expire') {
            stream.drop(call, step.do === 'cancel')
            if (!expected.has(id)) left.add(id)
          } else {
            if (waits(id)) expected.set(id, step.do)
            if (step.do === 'reply') end.reply(id, 'reply')
            else end.answer({ id, outcome: { case: 'failure', value: { code: status.NOT_FOUND, message: 'fail' } } })
          }
        }
      }
      end.breakOff()
      for (const [n, { outcomes }] of calls.entries()) {
        const told = outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.message))
        expect(told).toEqual(left.has(n + 1) ? [] : [expected.get(n + 1) ?? lost.message])
      }
      const ids = end.calls.map(({ id }) => id)
      expect(ids).toEqual(calls.map((_, n) => n + 1))
      const cancelled = end.written.flatMap((message) => message.cancelled)
      expect(cancelled).toEqual([...new Set(cancelled)])
    }),
    { numRuns: 150 },
  )
})
