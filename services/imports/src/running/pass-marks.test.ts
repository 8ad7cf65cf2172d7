import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { passMarks } from './pass-marks.ts'

test('a mark never passes a batch that is not applied, and reaches the last row when all are', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (order) => {
      const marks = passMarks(7)
      const batches = order.map((_, index) => ({ lastRow: (index + 1) * 10, applied: false }))
      const ends = batches.map(({ lastRow }) => marks.begin(lastRow))
      const inOrder = order.map((key, index) => ({ key, index })).toSorted((one, other) => one.key - other.key)
      for (const { index } of inOrder) {
        ends[index]!()
        batches[index]!.applied = true
        const firstOpen = batches.findIndex(({ applied }) => !applied)
        expect(marks.through).toBe(firstOpen === -1 ? batches.length * 10 : firstOpen === 0 ? 7 : firstOpen * 10)
      }
    }),
  )
})
