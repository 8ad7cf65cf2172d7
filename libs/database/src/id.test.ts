import { expect, test } from '@jest/globals'
import { newId } from './id.ts'

test('ids are UUIDs of version 7 with the current time, in ascending order and unique', () => {
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  const milliseconds = parseInt(ids[0]!.slice(0, 8) + ids[0]!.slice(9, 13), 16)
  expect(milliseconds).toBeGreaterThanOrEqual(before)
})

test('every digit of the random part of an id varies', () => {
  const tails = Array.from({ length: 1_000 }, () => newId().slice(19).replace('-', ''))
  for (let place = 0; place < 16; place += 1)
    expect(new Set(tails.map((tail) => tail[place])).size).toBe(place === 0 ? 4 : 16)
})
