import { expect, jest, test } from '@jest/globals'
import { setImmediate as turn } from 'node:timers/promises'
import { coalesced } from './coalesce.ts'

test('a caller during a call shares the next call, never the call that started before', async () => {
  const ask = coalesced<number>()
  const open: (() => void)[] = []
  let asked = 0
  const question = () => {
    const mine = ++asked
    return new Promise<number>((resolve) => open.push(() => resolve(mine)))
  }
  const first = ask('a', question)
  await turn()
  const others = [ask('a', question), ask('a', question), ask('a', question)]
  const elsewhere = ask('b', question)
  await turn()
  expect(asked).toBe(2)
  open.shift()!()
  expect(await first).toBe(1)
  await turn()
  await turn()
  const late = ask('a', question)
  open.splice(0).forEach((answer) => answer())
  expect(await Promise.all(others)).toEqual([3, 3, 3])
  expect(await elsewhere).toBe(2)
  await turn()
  open.splice(0).forEach((answer) => answer())
  expect(await late).toBe(4)
})

test('a failed call fails only its callers, and the next call is made', async () => {
  const ask = coalesced<string>()
  const failing = ask('a', () => Promise.reject(new Error('gone')))
  failing.catch(() => undefined)
  await turn()
  const next = ask('a', () => Promise.resolve('here'))
  await expect(failing).rejects.toThrow('gone')
  expect(await next).toBe('here')
  expect(await ask('a', () => Promise.resolve('again'))).toBe('again')
})

test('callers with one key in the same turn of the event loop share one call, which starts after all of them', async () => {
  const ask = coalesced<number>()
  let asked = 0
  const question = async () => ++asked
  const together = [ask('a', question), ask('a', question), ask('a', question)]
  expect(asked).toBe(0)
  expect(await Promise.all(together)).toEqual([1, 1, 1])
  expect(await ask('a', question)).toBe(2)
})

test('a gathering call waits for more callers only after one that many shared', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  try {
    const ask = coalesced<number>({ isGathering: true })
    let asked = 0
    const question = async () => ++asked
    expect(await Promise.all(Array.from({ length: 8 }, () => ask('a', question)))).toEqual(
      Array.from({ length: 8 }, () => 1),
    )
    const early = ask('a', question)
    await turn()
    expect(asked).toBe(1)
    const late = ask('a', question)
    await jest.advanceTimersByTimeAsync(2)
    expect(await Promise.all([early, late])).toEqual([2, 2])
    expect(await ask('a', question)).toBe(3)
  } finally {
    jest.useRealTimers()
  }
})

test('callers who came during a call count for the time that the one after the next waits', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] })
  try {
    const ask = coalesced<number>({ isGathering: true })
    const held = Promise.withResolvers<number>()
    const first = ask('a', () => held.promise)
    await turn()
    let asked = 0
    const question = async () => ++asked
    const others = Array.from({ length: 4 }, () => ask('a', question))
    held.resolve(0)
    expect(await first).toBe(0)
    expect(await Promise.all(others)).toEqual([1, 1, 1, 1])
    const next = ask('a', question)
    await turn()
    expect(asked).toBe(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(await next).toBe(2)
  } finally {
    jest.useRealTimers()
  }
})
