import { expect, test } from '@jest/globals'
import { inTurns } from './in-turns.ts'

test('each item is mapped, in order, and other work of the process is done in between', async () => {
  const done: number[] = []
  const doneBefore: number[] = []
  const look = () => {
    doneBefore.push(done.length)
    if (done.length < 50) setImmediate(look)
  }
  setImmediate(look)
  const items = Array.from({ length: 50 }, (_, n) => n)
  const results = await inTurns(items, (n) => {
    done.push(n)
    return n * 2
  })
  expect(results).toEqual(items.map((n) => n * 2))
  expect(doneBefore).toEqual([20, 40])
  expect(await inTurns([], () => 1)).toEqual([])
})
