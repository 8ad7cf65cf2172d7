import { expect, test } from '@jest/globals'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { frameBytes, messageBytesMax, replyBytesMax, runningMax } from '../src/frames.ts'
import { settled } from './memory-stream.ts'
import { answersOf, failureOf, frame, held, repliesOf, served } from './served-exchange.ts'

test('replies of every size arrive whole, and no message is larger than one full message and one part', async () => {
  const size = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 30_000, max: messageBytesMax + 2 }) },
    { weight: 1, arbitrary: fc.integer({ min: messageBytesMax, max: 5 * messageBytesMax }) },
    { weight: 1, arbitrary: fc.constantFrom(messageBytesMax, messageBytesMax + 1, 2 * messageBytesMax) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 60 }), async (sizes) => {
      const { end } = served(async (text) => Buffer.alloc(Number(text), text.at(-1)))
      end.receive({ calls: sizes.map((bytes, n) => frame(n + 1, String(bytes))) })
      while (repliesOf(end).size < sizes.length) await settled(1)
      const replies = repliesOf(end)
      for (const [n, bytes] of sizes.entries())
        expect(replies.get(n + 1)!.equals(Buffer.alloc(bytes, String(bytes).at(-1)))).toBe(true)
      for (const { answers } of end.written) {
        const large = answers.filter(({ outcome }, n) => outcome.case === 'part' || n === answers.length - 1)
        const small = answers.slice(0, answers.length - large.length)
        const bytesOf = (list: typeof answers) =>
          list.reduce((sum, { outcome }) => sum + frameBytes + ((outcome.value as Uint8Array).byteLength ?? 0), 0)
        expect(large.length).toBeLessThanOrEqual(1)
        expect(bytesOf(small)).toBeLessThanOrEqual(messageBytesMax + frameBytes)
        expect(bytesOf(large)).toBeLessThanOrEqual(messageBytesMax + frameBytes)
      }
    }),
    { numRuns: 40 },
  )
})

test('a small reply waits for at most one part of a large reply', async () => {
  const { end } = served(async (text) => Buffer.alloc(text === 'large' ? 20 * messageBytesMax : 1))
  end.isFast = false
  end.receive({ calls: [frame(1, 'large')] })
  await settled()
  end.receive({ calls: [frame(2, 'small')] })
  await settled()
  expect(end.written).toHaveLength(1)
  end.sent()
  expect(end.written[1]!.answers.map(({ id, outcome }) => [id, outcome.case])).toEqual([
    [2, 'reply'],
    [1, 'part'],
  ])
})

test('large replies take turns, part by part', async () => {
  const { end } = served(async () => Buffer.alloc(3 * messageBytesMax))
  end.receive({ calls: [frame(1), frame(2), frame(3)] })
  while (repliesOf(end).size < 3) await settled(1)
  expect(answersOf(end).map(({ id }) => id)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3])
})

test('a reply of 16 MiB is sent, and one byte more fails this call and no other', async () => {
  const { end } = served(async (text) => Buffer.alloc(Number(text)))
  end.receive({ calls: [frame(1, String(replyBytesMax)), frame(2, String(replyBytesMax + 1)), frame(3, '5')] })
  while (repliesOf(end).size < 2) await settled(1)
  expect(repliesOf(end).get(1)!.byteLength).toBe(replyBytesMax)
  expect(repliesOf(end).get(3)!.byteLength).toBe(5)
  expect(failureOf(end, 2)).toMatchObject({
    code: status.RESOURCE_EXHAUSTED,
    message: 'the reply is larger than 16 MiB',
  })
})

test('answers that are ready while a message is being written share the next message', async () => {
  const { calls, method } = held()
  const { end } = served(method)
  end.isFast = false
  end.receive({ calls: [frame(1, 'a'), frame(2, 'b'), frame(3, 'c'), frame(4, 'd')] })
  calls.get('a')!.resolve()
  await settled()
  for (const text of ['d', 'b', 'c']) {
    calls.get(text)!.resolve()
    await settled()
  }
  expect(end.written).toHaveLength(1)
  end.sent()
  expect(end.written.map(({ answers }) => answers.map(({ id }) => id))).toEqual([[1], [4, 2, 3]])
})

test('the server stops reading from a client with more than 1,024 open calls, until 512 are left', async () => {
  const { calls, method } = held()
  const { end } = served(method)
  const most = 2 * runningMax
  for (let id = 1; id <= most; id += 1) end.receive({ calls: [frame(id, String(id))] })
  expect(end.isPaused()).toBe(false)
  end.receive({ calls: [frame(most + 1, String(most + 1))] })
  expect(end.isPaused()).toBe(true)
  const finish = async (from: number, to: number) => {
    for (let id = from; id <= to; id += 1) calls.get(String(id))!.resolve()
    await settled(40)
  }
  await finish(1, runningMax)
  expect(end.isPaused()).toBe(true)
  await finish(runningMax + 1, runningMax + 1)
  expect(end.isPaused()).toBe(false)
})

test('cancellations count when the server decides to read again', async () => {
  const { method } = held()
  const { end } = served(method)
  end.receive({ calls: Array.from({ length: 2 * runningMax + 1 }, (_, n) => frame(n + 1, String(n))) })
  expect(end.isPaused()).toBe(true)
  end.receive({ cancelled: Array.from({ length: runningMax + 1 }, (_, n) => n + 1) })
  expect(end.isPaused()).toBe(false)
})

test('replies that a slow client has not taken count as open calls', async () => {
  const { end } = served(async () => Buffer.alloc(1))
  end.isFast = false
  end.receive({ calls: Array.from({ length: 2 * runningMax }, (_, n) => frame(n + 1)) })
  await settled()
  // one message is on its way; what does not fit into it waits here
  const waiting = 2 * runningMax - end.written[0]!.answers.length
  expect(waiting).toBeGreaterThan(runningMax)
  end.receive({ calls: Array.from({ length: 2 * runningMax }, (_, n) => frame(2 * runningMax + n + 1)) })
  expect(end.isPaused()).toBe(true)
  while (end.isPaused()) {
    end.sent()
    await settled(1)
  }
})
