import { expect, test } from '@jest/globals'
import { openFairQueue, type FairQueue } from './fair-queue.ts'

const stays = new AbortController().signal
const open = (places: number, waitingMax = 100) => openFairQueue({ places, waitingMax })

/** Enters these keys and records the order in which they start. `endFirst` ends the first one. */
async function order(queue: FairQueue, keys: string[]) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  for (const key of keys)
    void queue.take(key, stays)?.then((end) => {
      begun.push(key)
      ends.push(end)
    })
  await settled()
  return {
    begun,
    endFirst: () => {
      ends.shift()!()
      return settled()
    },
  }
}
const settled = () => new Promise(setImmediate)

test('with two places or more, one key never has them all', async () => {
  const { begun } = await order(open(2), ['a', 'a', 'a', 'b'])
  expect(begun).toEqual(['a', 'b'])
  expect((await order(open(3), ['a', 'a', 'a', 'a'])).begun).toEqual(['a', 'a'])
  expect((await order(open(1), ['a', 'a'])).begun).toEqual(['a'])
})

test('keys take turns, whatever the order and number of their entries', async () => {
  const { begun, endFirst } = await order(open(1), ['a', 'a', 'a', 'b', 'c', 'b'])
  for (let turn = 0; turn < 5; turn += 1) await endFirst()
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

test('one key fills three quarters of the queue at most, all keys together the whole queue', async () => {
  const queue = open(1, 4)
  await order(queue, ['a', 'a', 'a', 'a'])
  expect(queue.waiting).toBe(3)
  expect(queue.take('a', stays)).toBeUndefined()
  await order(queue, ['b'])
  expect(queue.waiting).toBe(4)
  expect(queue.take('c', stays)).toBeUndefined()
})

test('a caller that aborts while waiting is removed and frees its place', async () => {
  const queue = open(1, 2)
  const gone = new AbortController()
  const { begun, endFirst } = await order(queue, ['a'])
  const left = queue.take('b', gone.signal)!
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(queue.waiting).toBe(0)
  await endFirst()
  expect((await order(queue, ['b'])).begun).toEqual(['b'])
  expect(begun).toEqual(['a'])
})
