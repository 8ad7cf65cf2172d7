import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { callsAtOnce } from './calls-at-once.ts'

/** A call that ends when the test says so. */
function controlled() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let hasStarted = false
  return {
    call: () => {
      hasStarted = true
      return promise
    },
    end: () => resolve(),
    fail: (error: Error) => reject(error),
    hasStarted: () => hasStarted,
  }
}

test('no more than the limit run at once, and the next one starts when any of them ends', async () => {
  const calls = callsAtOnce(2)
  const [one, two, three] = [controlled(), controlled(), controlled()]
  await calls.add(one.call)
  await calls.add(two.call)
  const third = calls.add(three.call)
  await turn()
  expect([one, two, three].map(({ hasStarted }) => hasStarted())).toEqual([true, true, false])
  two.end()
  await third
  expect(three.hasStarted()).toBe(true)
  let isFinished = false
  const finished = calls.finished().then(() => (isFinished = true))
  one.end()
  await turn()
  expect(isFinished).toBe(false)
  three.end()
  await finished
})

test('after an error no further call starts, and the first error is thrown', async () => {
  const calls = callsAtOnce(2)
  const [one, two, three] = [controlled(), controlled(), controlled()]
  await calls.add(one.call)
  await calls.add(two.call)
  one.fail(new Error('first'))
  await expect(calls.add(three.call)).rejects.toThrow('first')
  expect(three.hasStarted()).toBe(false)
  two.fail(new Error('second'))
  await expect(calls.finished()).rejects.toThrow('first')
  await expect(calls.settled()).resolves.toBeUndefined()
})

test('the request of a call leaves before its caller goes on computing', async () => {
  const calls = callsAtOnce(2)
  let hasLeft = false
  await calls.add(async () => {
    await turn()
    hasLeft = true
  })
  expect(hasLeft).toBe(true)
  await calls.finished()
})
