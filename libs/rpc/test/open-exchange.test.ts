import { expect, jest, test } from '@jest/globals'
import { status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { frameBytes, messageBytesMax, requestBytesMax, runningMax } from '../src/frames.ts'
import { settled } from './memory-stream.ts'
import { opened, textsOf, unavailable } from './opened-exchange.ts'

test('no channel is opened before the first call', () => {
  expect(opened().channels).toEqual([])
})

test('calls that wait for the stream are sent in order, in one message', async () => {
  const { call, stream } = opened()
  const calls = ['a', 'b', 'c'].map((text) => call(text))
  await settled()
  expect(stream().written).toEqual([])
  stream().open()
  await settled()
  expect(textsOf(stream())).toEqual([['a', 'b', 'c']])
  stream().reply(2)
  stream().reply(1)
  stream().reply(3)
  expect(await Promise.all(calls)).toEqual(['reply 1', 'reply 2', 'reply 3'])
})

test('every call is sent once and in order, in messages of at most 64 KiB unless a single call is larger', async () => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 2_000 }),
    fc.integer({ min: 0, max: requestBytesMax }),
    fc.constant(requestBytesMax),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 50 }), async (sizes) => {
      const { call, stream, exchange } = opened()
      for (const [n, bytes] of sizes.entries()) void call(Buffer.alloc(bytes, n))
      stream().open()
      await settled(4 * sizes.length)
      expect(stream().calls.map(({ request }) => request.byteLength)).toEqual(sizes)
      for (const { calls } of stream().written) {
        const bytes = calls.reduce((sum, { request }) => sum + frameBytes + request.byteLength, 0)
        expect(calls.length === 1 || bytes <= messageBytesMax).toBe(true)
      }
      for (const { id } of stream().calls) stream().reply(id)
      const stopped = exchange.stop()
      stream().emit('end')
      await stopped
    }),
    { numRuns: 40 },
  )
})

test('a request above 64 KiB is a separate gRPC call', async () => {
  const { call, channels } = opened()
  await expect(call(Buffer.alloc(requestBytesMax + 1, 'x'))).resolves.toBe(`plain ${'x'.repeat(20)}`)
  expect(channels[0]!.plain.map(({ method, bytes }) => [method, bytes.byteLength])).toEqual([
    ['lettergate.x.v1.X/Do', requestBytesMax + 1],
  ])
})

test('calls above the limit of a stream wait, and are sent when others are answered', async () => {
  const { call, stream } = opened()
  for (let n = 0; n < runningMax + 3; n += 1) void call(String(n))
  stream().open()
  await settled(40)
  expect(stream().calls).toHaveLength(runningMax)
  stream().reply(5)
  stream().reply(9)
  await settled()
  expect(
    stream()
      .calls.map(({ request }) => String(request))
      .slice(runningMax),
  ).toEqual([String(runningMax), String(runningMax + 1)])
})

test('a call above 10,000 waiting ones is refused at once, and a later one is accepted', async () => {
  jest.useRealTimers()
  const { call, stream, exchange } = opened()
  const first = Array.from({ length: 10_000 }, (_, n) => call(String(n)))
  await expect(call('one too many')).rejects.toMatchObject({ ...unavailable, reason: 'lettergate.x.v1.X' })
  stream().open()
  await settled(40)
  let isRefused = false
  call('there is room again').catch(() => (isRefused = true))
  stream().reply(1)
  await expect(first[0]).resolves.toBe('reply 1')
  expect(isRefused).toBe(false)
  const stopped = exchange.stop()
  stream().breakOff()
  await stopped
})

test('a call whose deadline has passed or whose caller has aborted is never sent', async () => {
  const { call, channels } = opened()
  const left = new AbortController()
  left.abort()
  await expect(call('late', { deadline: Date.now() })).rejects.toMatchObject(unavailable)
  await expect(call('left', {}, left.signal)).rejects.toMatchObject(unavailable)
  expect(channels).toEqual([])
})

test('a call that exceeds its deadline while it waits fails then and is not sent later', async () => {
  const { call, stream } = opened()
  const late = call('late', { deadline: Date.now() + 100 })
  const patient = call('patient')
  await jest.advanceTimersByTimeAsync(100)
  await expect(late).rejects.toMatchObject(unavailable)
  stream().open()
  await settled()
  expect(textsOf(stream())).toEqual([['patient']])
  stream().reply(1)
  await expect(patient).resolves.toBe('reply 1')
})

test('a call with a deadline above the limit of a timer waits for its answer', async () => {
  const { call, stream } = opened()
  const calls = [call('far', { deadline: Date.now() + 2 ** 40 })]
  await jest.advanceTimersByTimeAsync(10_000)
  stream().open()
  await settled()
  stream().reply(1)
  await expect(Promise.all(calls)).resolves.toEqual(['reply 1'])
})

test('an abort removes a waiting call and cancels a call that was sent', async () => {
  const { call, stream } = opened()
  const early = new AbortController()
  const later = new AbortController()
  const calls = [call('early', {}, early.signal), call('later', {}, later.signal)]
  early.abort()
  await expect(calls[0]).rejects.toMatchObject(unavailable)
  stream().open()
  await settled()
  expect(textsOf(stream())).toEqual([['later']])
  later.abort()
  await expect(calls[1]).rejects.toMatchObject(unavailable)
  await settled()
  expect(stream().written.flatMap(({ cancelled }) => cancelled)).toEqual([1])
  stream().reply(1)
})

test('a call that was sent fails with its stream and is not sent again', async () => {
  const { call, stream, channels } = opened()
  const sent = call('sent')
  stream().open()
  await settled()
  const broken = stream()
  const next = call('next')
  broken.breakOff()
  await expect(sent).rejects.toMatchObject(unavailable)
  await jest.advanceTimersByTimeAsync(20)
  expect(channels[0]!.streams).toHaveLength(2)
  stream().open()
  await settled()
  expect(textsOf(stream())).toEqual([['next']])
  stream().reply(1)
  await expect(next).resolves.toBe('reply 1')
})

test('a server without the exchange gets separate gRPC calls, also for calls that already wait', async () => {
  const { call, stream, channels } = opened()
  const early = call('early')
  await settled()
  stream().breakOff(status.UNIMPLEMENTED)
  await expect(early).resolves.toBe('plain early')
  await expect(call('later')).resolves.toBe('plain later')
  expect(channels[0]!.plain.map(({ bytes }) => String(bytes))).toEqual(['early', 'later'])
})

test('a Fault of the server arrives as the same Fault, and an unexpected error names the service', async () => {
  const { call, stream } = opened()
  const calls = [call('a'), call('b'), call('c')]
  stream().open()
  await settled()
  stream().answer(
    { id: 1, outcome: { case: 'failure', value: { code: status.NOT_FOUND, reason: 'row', message: 'Gone.' } } },
    { id: 2, outcome: { case: 'failure', value: { code: status.INTERNAL, message: 'internal error' } } },
    { id: 3, outcome: { case: 'failure', value: { code: status.UNIMPLEMENTED, message: 'no' } } },
  )
  await expect(calls[0]).rejects.toMatchObject({ code: 'not_found', reason: 'row', message: 'Gone.' })
  await expect(calls[1]).rejects.toThrow('lettergate.x.v1.X failed: internal error')
  await expect(calls[2]).rejects.toMatchObject({ code: 'unavailable', reason: 'unimplemented' })
})
