import { expect, test } from '@jest/globals'
import { newId } from './database.ts'
import { cursorAfter, idCeiling, idFloor, pageOf, parseCursor, parseLimit } from './page.ts'

test('a page has 50 rows unless 1 to 200 are asked for', () => {
  expect(parseLimit(undefined)).toBe(50)
  expect([1, 200].map((given) => parseLimit(given))).toEqual([1, 200])
  for (const limit of [0, -1, 201, 1.5]) expect(() => parseLimit(limit)).toThrow(/limit must be/)
})

test('a cursor is valid only for its own list and points to its row', () => {
  const id = newId()
  const cursor = cursorAfter('contacts', id)
  expect(cursor).toMatch(/^[\w-]+$/)
  expect(parseCursor('contacts', cursor)).toBe(id)
  expect(parseCursor('contacts', undefined)).toBeNull()
  const bad = ['', 'x', id, `${cursor}=`, `${cursor}A`, cursorAfter('suppressions', id), cursorAfter('contacts', 'x')]
  for (const given of bad) expect(() => parseCursor('contacts', given)).toThrow(/cursor must be/)
})

test('an extra row means that another page follows', () => {
  const found = [{ id: newId() }, { id: newId() }]
  expect(pageOf('contacts', found, 2)).toEqual({ page: found })
  const { page, nextCursor } = pageOf('contacts', found, 1)
  expect(page).toEqual(found.slice(0, 1))
  expect(parseCursor('contacts', nextCursor)).toBe(found[0]!.id)
})

test('a page is shortened if its objects are too large for one answer, and has at least one row', () => {
  const large = (count: number) => Array.from({ length: count }, () => ({ id: newId(), object: ['x'.repeat(900_000)] }))
  const found = large(4)
  const { page, nextCursor } = pageOf('contacts', found, 4, (one) => one.object)
  expect(page).toEqual(found.slice(0, 2))
  expect(parseCursor('contacts', nextCursor)).toBe(found[1]!.id)
  const huge = [{ id: newId(), object: ['x'.repeat(3_000_000)] }]
  expect(pageOf('contacts', huge, 1, (one) => one.object)).toEqual({ page: huge })
})

test('an id lies between the floor and the ceiling of its time, and times before 1970 or after 10889 are no error', () => {
  const now = new Date()
  const id = newId()
  expect(idFloor(now) < id && id < idCeiling(now)).toBe(true)
  expect(idFloor(new Date('0001-01-01T00:00:00Z'))).toBe('00000000-0000-7000-8000-000000000000')
  expect(idCeiling(new Date('9999-12-31T23:59:59Z')) > id).toBe(true)
})
