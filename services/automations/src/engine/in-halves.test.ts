import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { inHalves } from './in-halves.ts'

const items = Array.from({ length: 200 }, (_, n) => n)
const calling = (bad: number, error: Error) => {
  const calls: number[] = []
  const call = async (given: readonly number[]) => {
    calls.push(given.length)
    if (given.includes(bad)) throw error
    return given.map((one) => one * 2)
  }
  return { calls, call }
}

test('without an error there is one call, and each item has its result', async () => {
  const { calls, call } = calling(-1, new Error('never'))
  expect(await inHalves(items, call)).toEqual(items.map((item) => ({ item, result: item * 2 })))
  expect(calls).toEqual([200])
  expect(await inHalves([], call)).toEqual([])
})

test('one refused item refuses only itself, after few calls', async () => {
  const refusal = new Fault('invalid_argument', 'tag', 'No.')
  const { calls, call } = calling(77, refusal)
  const answers = await inHalves(items, call)
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([{ item: 77, error: refusal }])
  expect(answers.map(({ item }) => item)).toEqual(items)
  expect(calls.length).toBeLessThan(20)
})

test.each([
  new Fault('unavailable', 'x', 'Away.'),
  new Fault('permission_denied', 'peer_not_allowed', 'No.'),
  new Fault('unauthenticated', 'peer', 'Who?'),
  new Error('a bug'),
])('after an outage, a refusal of the caller or an unknown error nothing is called again: %s', async (error) => {
  const { calls, call } = calling(77, error)
  expect(await inHalves(items, call)).toEqual(items.map((item) => ({ item, error })))
  expect(calls).toEqual([200])
})
