import { expect, test } from '@jest/globals'
import { inSets } from './in-sets.ts'

const items = (count: number) => Array.from({ length: count }, (_, n) => n)

test.each([
  [0, []],
  [1, [1]],
  [200, [200]],
  [201, [200, 1]],
  [600, [200, 200, 200]],
])('%i items are in sets of %j, in their order', (count, sizes) => {
  const sets = inSets(items(count))
  expect(sets.map((set) => set.length)).toEqual(sizes)
  expect(sets.flat()).toEqual(items(count))
})
