import { expect, jest, test } from '@jest/globals'
import { settled } from './memory-stream.ts'
import { opened, textsOf, unavailable } from './opened-exchange.ts'

test('a renewed connection takes new calls when it is open, and calls in progress end on the old one', async () => {
  const { exchange, call, stream, channels } = opened()
  const first = call('first')
  stream(0).open()
  await settled()
  exchange.renew()
  expect(channels).toHaveLength(2)
  const between = call('between')
  await settled()
  expect(textsOf(stream(0))).toEqual([['first'], ['between']])
  stream(1).open()
  await settled()
  const after = call('after')
  await settled()
  expect(textsOf(stream(1))).toEqual([['after']])
  expect(stream(0).hasEnded).toBe(true)
  expect(channels[0]!.isClosed()).toBe(false)
  stream(0).reply(1)
  stream(0).reply(2)
  stream(0).emit('end')
  stream(1).reply(1)
  expect(await Promise.all([first, between, after])).toEqual(['reply 1', 'reply 2', 'reply 1'])
  await settled()
  expect(channels.map(({ isClosed }) => isClosed())).toEqual([true, false])
})

test('a renewed connection that is renewed again before it opened is closed', async () => {
  const { exchange, call, stream, channels } = opened()
  void call('first')
  stream(0).open()
  await settled()
  exchange.renew()
  exchange.renew()
  await settled()
  expect(channels).toHaveLength(3)
  expect(channels.map(({ isClosed }) => isClosed())).toEqual([false, true, false])
})

test('renew opens no channel before the first call', () => {
  const { exchange, channels } = opened()
  exchange.renew()
  expect(channels).toEqual([])
})

test('the connection is renewed at its interval without losing a call', async () => {
  const { call, stream, channels } = opened(1_000)
  void call('first')
  stream(0).open()
  await settled()
  stream(0).reply(1)
  for (let round = 1; round <= 3; round += 1) {
    await jest.advanceTimersByTimeAsync(1_000)
    expect(channels).toHaveLength(round + 1)
    stream(round).open()
    await settled()
    stream(round - 1).emit('end')
    await settled()
    expect(channels[round - 1]!.isClosed()).toBe(true)
    const call1 = call(`round ${round}`)
    await settled()
    stream(round).reply(1)
    await expect(call1).resolves.toBe('reply 1')
  }
})

test('a stopping exchange fails waiting calls, finishes sent calls and refuses new ones', async () => {
  const { exchange, call, stream, channels } = opened()
  const sent = call('sent')
  stream().open()
  await settled()
  stream().isFast = false
  void call('on its way')
  await settled()
  const waits = call('waits')
  let isDone = false
  const stopped = exchange.stop().then(() => (isDone = true))
  await expect(waits).rejects.toMatchObject(unavailable)
  await expect(call('late')).rejects.toMatchObject({ ...unavailable, reason: 'stopping' })
  await settled()
  expect(isDone).toBe(false)
  stream().reply(1)
  await expect(sent).resolves.toBe('reply 1')
  stream().emit('end')
  await stopped
  expect(channels[0]!.isClosed()).toBe(true)
})

test('a stopping exchange waits at most 10 s for calls in progress', async () => {
  const { exchange, call, stream, channels } = opened()
  const held = call('held')
  stream().open()
  await settled()
  const stopped = exchange.stop()
  await jest.advanceTimersByTimeAsync(10_000)
  await expect(held).rejects.toMatchObject(unavailable)
  await stopped
  expect(channels[0]!.isClosed()).toBe(true)
})

test('an exchange that never connected stops, and then opens no channel', async () => {
  const { exchange, call, channels } = opened()
  await exchange.stop()
  await expect(call('late')).rejects.toMatchObject({ ...unavailable, reason: 'stopping' })
  expect(() => exchange.channel()).toThrow('about to stop')
  expect(channels).toEqual([])
})
