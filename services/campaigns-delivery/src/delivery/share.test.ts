import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { connectionWeight, mayHaveOneMore, workspaceWeight } from './share.ts'

/** How many each party gets if each in turn takes as many as allowed and returns none. */
function takenBy(parties: number, total: number, weight: number): number[] {
  let free = total
  return Array.from({ length: parties }, () => {
    let own = 0
    while (mayHaveOneMore(own, free, weight)) {
      own += 1
      free -= 1
    }
    return own
  })
}

test.each([
  [64, connectionWeight, [42, 14, 5, 2, 1, 0]],
  [64, workspaceWeight, [48, 12, 3, 1, 0, 0]],
  [4, connectionWeight, [2, 1, 1, 0, 0, 0]],
  [2, connectionWeight, [1, 1, 0, 0, 0, 0]],
  [1, connectionWeight, [1, 0, 0, 0, 0, 0]],
])('of %d with weight %d parties whose calls hang take %j, one after the other', (total, weight, taken) => {
  expect(takenBy(6, total, weight)).toEqual(taken)
})

test('the last free place is only given to a party without any', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 256 }),
      fc.integer({ min: 1, max: 256 }),
      fc.nat(256),
      (weight, own, free) => {
        if (free <= 1) expect(mayHaveOneMore(own, free, weight)).toBe(false)
        expect(mayHaveOneMore(0, free, weight)).toBe(free > 0)
      },
    ),
  )
})
