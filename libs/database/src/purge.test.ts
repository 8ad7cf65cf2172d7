import { expect, test } from '@jest/globals'
import { purge, resultOf } from './purge.ts'

const table = (size: number) => {
  const steps: number[] = []
  return {
    steps,
    take: (most: number) => {
      const taken = Math.min(most, size)
      size -= taken
      steps.push(taken)
      return Promise.resolve(taken)
    },
  }
}

test('old rows go in steps of a bounded size until none is left', async () => {
  const old = table(25)
  expect(await purge(old.take, { rows: 10, steps: 100 })).toEqual({ gone: 25, result: 'finished' })
  expect(old.steps).toEqual([10, 10, 5])
})

test('one time takes a bounded number of steps, and says that it left others for the next', async () => {
  const old = table(1_000)
  expect(await purge(old.take, { rows: 10, steps: 3 })).toEqual({ gone: 30, result: 'unfinished' })
  expect(old.steps).toHaveLength(3)
})

test('several purges are finished when each of them is', () => {
  expect(resultOf([{ gone: 5, result: 'finished' }])).toBe('finished')
  expect(
    resultOf([
      { gone: 30, result: 'unfinished' },
      { gone: 5, result: 'finished' },
    ]),
  ).toBe('unfinished')
})
