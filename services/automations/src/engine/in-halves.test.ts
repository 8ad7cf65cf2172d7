import { expect, test } from '@jest/globals'
import { Fault } from '@lettergate/fault'
import { inHalves } from './in-halves.ts'

const items = Array.from({ length: 200 }, (_, n) => n)
const calling = (bad: readonly number[], error: Error) => {
  const calls: number[] = []
  const call = async (given: readonly number[]) => {
    calls.push(given.length)
    if (given.some((one) => bad.includes(one))) throw error
    return given.map((one) => one * 2)
  }
  return { calls, call }
}

test('without an error there is one call, and each item has its result', async () => {
  const { calls, call } = calling([], new Error('never'))
  expect(await inHalves(items, call)).toEqual(items.map((item) => ({ item, result: item * 2 })))
  expect(calls).toEqual([200])
  expect(await inHalves([], call)).toEqual([])
})

test.each([new Fault('invalid_argument', 'tag', 'No.'), new Error('a bug')])(
  'one item that is refused or breaks the call affects only itself, after few calls: %s',
  async (error) => {
    const { calls, call } = calling([77], error)
    const answers = await inHalves(items, call)
    expect(answers.filter((one) => one.error)).toEqual([{ item: 77, error: { error, isOfItem: true } }])
    expect(answers.map(({ item }) => item)).toEqual(items)
    expect(calls.length).toBeLessThan(20)
  },
)

test('two items that break the call, far from each other, are not found at once, and most of the others have results', async () => {
  const { call } = calling([3, 177], new Error('a bug'))
  const broken = (await inHalves(items, call)).filter((one) => one.error)
  expect(broken.some(({ item, error }) => item === 3 && error!.isOfItem)).toBe(true)
  expect(broken.length).toBeLessThan(30)
})

test('if every call breaks, few are made', async () => {
  const { calls, call } = calling(items, new Error('a bug'))
  expect((await inHalves(items, call)).filter((one) => one.error)).toHaveLength(200)
  expect(calls.length).toBeLessThan(30)
})

test.each([
  new Fault('unavailable', 'x', 'Away.'),
  new Fault('permission_denied', 'peer_not_allowed', 'No.'),
  new Fault('unauthenticated', 'peer', 'Who?'),
])('after an outage or a refusal of the caller nothing is called again: %s', async (error) => {
  const { calls, call } = calling([77], error)
  expect(await inHalves(items, call)).toEqual(items.map((item) => ({ item, error: { error, isOfItem: false } })))
  expect(calls).toEqual([200])
})
