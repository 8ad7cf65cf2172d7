import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { status } from '@grpc/grpc-js'
import { openStreamPool } from '../src/stream-pool.ts'
import { contentOf, memoryChannel, settled } from './memory-stream.ts'

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  jest.spyOn(Math, 'random').mockReturnValue(0.5) // waits are neither shortened nor prolonged
})
afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

const pass = async (ms: number) => {
  await jest.advanceTimersByTimeAsync(ms)
  await settled(2)
}
const threeReplicas = 'ipv4:10.0.0.1:1,10.0.0.2:1,10.0.0.3:1'
const addresses = ['10.0.0.1:1', '10.0.0.2:1', '10.0.0.3:1']

function poolOf(target: string, peers: readonly string[] = ['10.0.0.1:1']) {
  const { channel, streams } = memoryChannel(peers)
  let changes = 0
  const opened = openStreamPool(channel, target, () => (changes += 1))
  return { pool: opened, streams, changes: () => changes }
}

/** Open streams to all three replicas. */
async function three() {
  const made = poolOf(threeReplicas, addresses)
  made.streams[0]!.open()
  await pass(250)
  for (const stream of made.streams.slice(1)) stream.open()
  return made
}

test('the first stream opens alone, and 250 ms later one for each other replica', async () => {
  const { streams, pool } = poolOf(threeReplicas, addresses)
  await pass(10_000)
  expect(streams).toHaveLength(1)
  expect(pool.isSettled()).toBe(false)
  streams[0]!.open()
  expect(pool.isSettled()).toBe(true)
  await pass(249)
  expect(streams).toHaveLength(1)
  await pass(1)
  expect(streams).toHaveLength(3)
})

test('a pool opens at most eight streams', async () => {
  const many = Array.from({ length: 20 }, (_, n) => `10.0.0.${n + 1}:1`)
  const { streams } = poolOf(`ipv4:${many.join(',')}`, many)
  streams[0]!.open()
  await pass(250)
  for (const stream of streams) stream.open()
  await pass(60_000)
  expect(streams).toHaveLength(8)
})

test('calls go to the replicas in round-robin order and skip streams without capacity', async () => {
  const { pool, streams } = await three()
  const turns = (count: number) => Array.from({ length: count }, () => pool.nextStream()!.peer())
  const first = turns(3)
  expect(new Set(first)).toEqual(new Set(addresses))
  expect(turns(6)).toEqual([...first, ...first])
  streams[1]!.receive({ isDraining: true })
  expect(new Set(turns(8))).toEqual(new Set(['10.0.0.1:1', '10.0.0.3:1']))
})

test('no stream takes calls while none is open', async () => {
  const { pool, streams } = poolOf('10.0.0.1:1')
  expect(pool.nextStream()).toBeUndefined()
  streams[0]!.open()
  expect(pool.nextStream()).toBeDefined()
  streams[0]!.breakOff()
  expect(pool.nextStream()).toBeUndefined()
})

test('a stream that was open reopens after 20 ms, and one that could not open backs off up to 2 s', async () => {
  const { streams } = poolOf('10.0.0.1:1')
  streams[0]!.open()
  streams[0]!.breakOff()
  await pass(19)
  expect(streams).toHaveLength(1)
  await pass(1)
  expect(streams).toHaveLength(2)
  for (const waitMs of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
    const before = streams.length
    streams.at(-1)!.breakOff()
    await pass(waitMs - 1)
    expect(streams).toHaveLength(before)
    await pass(1)
    expect(streams).toHaveLength(before + 1)
  }
  streams.at(-1)!.open()
  streams.at(-1)!.breakOff()
  const before = streams.length
  await pass(20)
  expect(streams).toHaveLength(before + 1)
})

test('delays are spread from half to one and a half times their length', async () => {
  const opensAfter = async (random: number, ms: number) => {
    jest.spyOn(Math, 'random').mockReturnValue(random)
    const { streams } = poolOf('10.0.0.1:1')
    streams[0]!.breakOff()
    await pass(ms - 1)
    expect(streams).toHaveLength(1)
    await pass(1)
    expect(streams).toHaveLength(2)
  }
  await opensAfter(0, 50)
  await opensAfter(1, 150)
})

test('a server without the exchange is tried again after 30 s, and the pool counts as refused until then', async () => {
  const { pool, streams } = poolOf('10.0.0.1:1')
  streams[0]!.breakOff(status.UNIMPLEMENTED)
  expect([pool.isRefused(), pool.isSettled()]).toEqual([true, true])
  await pass(29_999)
  expect(streams).toHaveLength(1)
  await pass(1)
  expect(streams).toHaveLength(2)
  expect(pool.isRefused()).toBe(true)
  streams[1]!.open()
  expect(pool.isRefused()).toBe(false)
})

test('a pool with one open stream is not refused, although another replica lacks the exchange', async () => {
  const { pool, streams } = await three()
  streams[2]!.breakOff(status.UNIMPLEMENTED)
  expect(pool.isRefused()).toBe(false)
  expect(pool.nextStream()).toBeDefined()
})

test('a second stream to the same replica is replaced, until there is no other replica', async () => {
  const { streams, pool } = poolOf(threeReplicas, ['10.0.0.1:1'])
  streams[0]!.open()
  await pass(250)
  expect(streams).toHaveLength(3)
  streams[1]!.open()
  expect(streams[1]!.hasEnded).toBe(true)
  streams[1]!.emit('end')
  await pass(20)
  streams[3]!.open()
  expect(streams[3]!.hasEnded).toBe(true)
  streams[3]!.emit('end')
  await pass(20)
  // as often as there are places: now it stays
  streams[4]!.open()
  expect(streams[4]!.hasEnded).toBe(false)
  const used = new Set(Array.from({ length: 4 }, () => pool.nextStream()))
  expect(used.size).toBe(2)
})

test('a draining stream is replaced at once and ends by itself', async () => {
  const { pool, streams } = poolOf('10.0.0.1:1')
  streams[0]!.open()
  streams[0]!.receive({ isDraining: true })
  await pass(20)
  expect(streams).toHaveLength(2)
  streams[1]!.open()
  streams[0]!.emit('end')
  await pass(60_000)
  expect(streams).toHaveLength(2)
  expect(pool.nextStream()).toBeDefined()
})

test('every change that may add capacity is reported', async () => {
  const { streams, pool, changes } = poolOf('10.0.0.1:1')
  const changed = (act: () => void) => {
    const before = changes()
    act()
    return changes() > before
  }
  expect(changed(() => streams[0]!.open())).toBe(true)
  pool.nextStream()!.send([{ ...contentOf('a'), answered: () => undefined, failed: () => undefined }])
  await settled()
  expect(changed(() => streams[0]!.reply(1))).toBe(true)
  expect(changed(() => streams[0]!.breakOff())).toBe(true)
})

test('a retired pool opens no more streams, and resolves when the last one has ended', async () => {
  const { pool, streams } = await three()
  streams[1]!.receive({ isDraining: true })
  let isDone = false
  const done = pool.retire(10_000).then(() => (isDone = true))
  expect(streams.map(({ hasEnded }) => hasEnded)).toEqual([true, true, true])
  streams[0]!.emit('end')
  streams[2]!.breakOff()
  await settled()
  expect(isDone).toBe(false)
  streams[1]!.emit('end')
  await done
  await pass(60_000)
  expect(streams).toHaveLength(3)
})

test('streams that do not end in time are cancelled', async () => {
  const { pool, streams } = await three()
  const done = pool.retire(10_000)
  await pass(9_999)
  expect(streams.map(({ isCancelled }) => isCancelled)).toEqual([false, false, false])
  await pass(1)
  await done
  expect(streams.map(({ isCancelled }) => isCancelled)).toEqual([true, true, true])
})

test('a pool whose stream never opened retires at once', async () => {
  const { pool, streams } = poolOf('10.0.0.1:1')
  await pool.retire(10_000)
  expect(streams[0]!.isCancelled).toBe(true)
  expect(jest.getTimerCount()).toBe(0)
})
