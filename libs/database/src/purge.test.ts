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

test('old rows are deleted in steps of a bounded size until none is left', async () => {
  const old = table(25)
  expect(await purge(old.take, { rows: 10, steps: 100 })).toEqual({ deleted: 25, result: 'finished' })
  expect(old.steps).toEqual([10, 10, 5])
})

test('one run has a bounded number of steps, and reports that old rows are left', async () => {
  const old = table(1_000)
  expect(await purge(old.take, { rows: 10, steps: 3 })).toEqual({ deleted: 30, result: 'unfinished' })
  expect(old.steps).toHaveLength(3)
})

test('several purges are finished when each of them is', () => {
  expect(resultOf([{ deleted: 5, result: 'finished' }])).toBe('finished')
  expect(
    resultOf([
      { deleted: 30, result: 'unfinished' },
      { deleted: 5, result: 'finished' },
    ]),
  ).toBe('unfinished')
})
