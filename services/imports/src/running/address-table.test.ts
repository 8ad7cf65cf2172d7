import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addressTable, addressStatuses, type AddressStatus } from './address-table.ts'

const strictness = (status: AddressStatus) => addressStatuses.indexOf(status)

test('the first row of an address stays, and the most restrictive status of its rows counts, in any order', () => {
  const isUsable = fc.constantFrom(true, true, true, false)
  const row = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(...addressStatuses), isUsable)
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200 }), (rows) => {
      const table = addressTable()
      const expected = new Map<string, { first: number | undefined; status: AddressStatus }>()
      for (const [index, [person, status, canBeUsed]] of rows.entries()) {
        const address = `person${person}@example.org`
        const known = expected.get(address)
        const hasRow = known?.first !== undefined
        const isStricter = known !== undefined && strictness(status) > strictness(known.status)
        if (canBeUsed) {
          const firstPlace = !known || isStricter || known.status === status ? 'first' : 'restricted'
          const place = !hasRow ? firstPlace : isStricter ? 'stricter' : 'duplicate'
          expect(table.add(address, index + 1, status)).toBe(place)
        } else expect(table.restrict(address, status)).toBe(hasRow && isStricter)
        expected.set(address, {
          first: known?.first ?? (canBeUsed ? index + 1 : undefined),
          status: !known || isStricter ? status : known.status,
        })
      }
      const withRow = [...expected.values()].filter(({ first }) => first !== undefined)
      expect(table.size).toBe(withRow.length)
      for (const status of addressStatuses)
        expect(table.count(status)).toBe(withRow.filter((each) => each.status === status).length)
      const statusOf = table.byFirstRow()
      for (const [index, [person]] of rows.entries()) {
        const { first, status } = expected.get(`person${person}@example.org`)!
        expect(statusOf(index + 1)).toBe(first === index + 1 ? status : undefined)
      }
      for (const beyond of [0, rows.length + 1]) expect(statusOf(beyond)).toBeUndefined()
    }),
    { numRuns: 300 },
  )
})

test('200,000 addresses are told apart in at most 30 bytes each, and a row beyond the last one has no status', () => {
  const table = addressTable()
  const count = 200_000
  let most = 0
  for (let row = 1; row <= count; row += 1) {
    table.add(`person${row}@example.org`, row, row % 2 === 0 ? 'subscribed' : 'suppressed')
    if (row > 5_000) most = Math.max(most, table.bytes / table.size)
  }
  expect(most).toBeLessThanOrEqual(30.1)
  expect(table.size).toBe(count)
  expect(table.count('suppressed')).toBe(count / 2)
  const statusOf = table.byFirstRow()
  for (let row = 1; row <= count; row += 997) expect(statusOf(row)).toBe(row % 2 === 0 ? 'subscribed' : 'suppressed')
  expect(statusOf(count + 1)).toBeUndefined()
})

test('a table that grows frees its earlier memory at once, and does not wait for a collection', () => {
  const table = addressTable()
  const before = process.memoryUsage().arrayBuffers
  for (let row = 1; row <= 200_000; row += 1) table.add(`person${row}@example.org`, row, 'subscribed')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(table.bytes * 1.2)
})
