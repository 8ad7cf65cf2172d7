import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault } from '@lettergate/fault'
import { arrayOf } from '../src/array-of.ts'
import { newId } from '../src/id.ts'
import { cursorAfter, fitting, idCeiling, idFloor, pageOf, parseCursor, parseLimit } from '../src/page.ts'

const listName = fc.stringMatching(/^[a-z-]{1,20}$/)

test('a cursor leads back to its row in its own list, and is refused by every other list', () => {
  fc.assert(
    fc.property(listName, listName, fc.uuid(), (list, other, id) => {
      expect(parseCursor(list, cursorAfter(list, id))).toBe(id)
      if (other !== list) expect(() => parseCursor(other, cursorAfter(list, id))).toThrow(Fault)
    }),
  )
})

test('a cursor that was changed in any character is refused', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.nat(),
      fc.constantFrom('A', 'Z', 'a', 'z', '0', '9', '-', '_', '=', '+', '/', ' '),
      (id, at, char) => {
        const cursor = cursorAfter('rows', id)
        const place = at % cursor.length
        const changed = cursor.slice(0, place) + char + cursor.slice(place + 1)
        fc.pre(changed !== cursor)
        let read: string | null | undefined
        try {
          read = parseCursor('rows', changed)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_argument', reason: 'cursor' })
          return
        }
        // Another hexadecimal digit is another id, which is a cursor too; it is never the same row.
        expect(read).not.toBe(id)
        expect(cursorAfter('rows', read!)).toBe(changed)
      },
    ),
  )
})

test('no text that a client can send is an unexpected error', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 0xffff }), { maxLength: 100 }).map((units) => String.fromCharCode(...units)),
      (given) => {
        try {
          parseCursor('rows', given)
        } catch (error) {
          expect(error).toBeInstanceOf(Fault)
        }
      },
    ),
  )
})

test('pages that follow their cursors give each row once, in order, and then end', () => {
  fc.assert(
    fc.property(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 20 }), (count, limit) => {
      const rows = Array.from({ length: count }, () => ({ id: newId() })).toReversed()
      const seen: string[] = []
      let after: string | null = null
      let pages = 0
      for (;;) {
        const found = rows.filter(({ id }) => after === null || id < after).slice(0, limit + 1)
        const { page, nextCursor } = pageOf('rows', found, limit)
        expect(page.length).toBeLessThanOrEqual(limit)
        seen.push(...page.map(({ id }) => id))
        pages += 1
        if (nextCursor === undefined) break
        after = parseCursor('rows', nextCursor)
      }
      expect(seen).toEqual(rows.map(({ id }) => id))
      expect(pages).toBe(Math.max(1, Math.ceil(count / limit)))
    }),
  )
})

test('rows with large objects make a page shorter, and never empty', () => {
  const size = fc.oneof(fc.nat({ max: 1_000 }), fc.integer({ min: 400_000, max: 2_500_000 }))
  fc.assert(
    fc.property(fc.array(size, { minLength: 1, maxLength: 12 }), (sizes) => {
      const kept = fitting(sizes, (bytes) => ['x'.repeat(bytes)])
      expect(kept).toEqual(sizes.slice(0, kept.length))
      expect(kept.length).toBeGreaterThan(0)
      const chars = (list: readonly number[]) => list.reduce((sum, bytes) => sum + bytes + 4, 0)
      if (kept.length > 1) expect(chars(kept)).toBeLessThanOrEqual(2_000_000)
      if (kept.length < sizes.length) expect(chars(sizes.slice(0, kept.length + 1))).toBeGreaterThan(2_000_000)
    }),
    { numRuns: 30 },
  )
})

test('a cursor that only decodes to the same bytes is refused', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const cursor = cursorAfter('rows', id)
      for (const given of [`${cursor}=`, ` ${cursor}`, `${cursor}\n`, `${cursor}!`])
        expect(() => parseCursor('rows', given)).toThrow(Fault)
    }),
  )
})

test('a page that large rows made shorter has a cursor, also when no row lies beyond its limit', () => {
  const rows = Array.from({ length: 3 }, () => ({ id: newId(), object: ['x'.repeat(1_500_000)] }))
  const { page, nextCursor } = pageOf('rows', rows, 3, ({ object }) => object)
  expect(page).toEqual(rows.slice(0, 1))
  expect(parseCursor('rows', nextCursor)).toBe(rows[0]!.id)
})

test('a limit is a whole number from 1 to the largest, and every other number names the field', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: -10, max: 400 }), fc.double()),
      fc.constantFrom(200, 1_000),
      (given, max) => {
        if (Number.isInteger(given) && given >= 1 && given <= max) expect(parseLimit(given, max)).toBe(given)
        else expect(() => parseLimit(given, max)).toThrow(`limit must be a whole number from 1 to ${max}.`)
      },
    ),
  )
})

test('the smallest and the largest limit are allowed, and those beside them are not', () => {
  for (const max of [200, 1_000]) {
    expect([parseLimit(1, max), parseLimit(max, max)]).toEqual([1, max])
    for (const given of [0, max + 1]) expect(() => parseLimit(given, max)).toThrow(Fault)
  }
})

test('the ids of a moment lie between its floor and its ceiling, in the order of moments', () => {
  const moment = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      expect(idFloor(one) < idCeiling(one)).toBe(true)
      if (one < other) {
        expect(idFloor(one) <= idFloor(other)).toBe(true)
        expect(idCeiling(one) <= idCeiling(other)).toBe(true)
      }
      for (const id of [idFloor(one), idCeiling(one)]) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/)
    }),
  )
})

test('ids are made in increasing order, each once, also far beyond what a millisecond can number', () => {
  const ids = Array.from({ length: 10_000 }, newId)
  expect(ids.every((id, n) => n === 0 || ids[n - 1]! < id)).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toEqual(
    [],
  )
})

test('an array is written without quotes, and a value that needs some is refused instead of changing the statement', () => {
  const plain = fc.oneof(fc.uuid(), fc.integer(), fc.stringMatching(/^[a-z_0-9.:-]{1,20}$/))
  fc.assert(
    fc.property(fc.array(plain), (values) => {
      expect(arrayOf(values)).toBe(`{${values.join(',')}}`)
    }),
  )
  for (const hostile of ['a b', 'a"b', "a'b", 'a\\b', '{a}', 'a\n', 'ä', '};drop table rows'])
    expect(() => arrayOf(['a', hostile])).toThrow('quotes')
})
