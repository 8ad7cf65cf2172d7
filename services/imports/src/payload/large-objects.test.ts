import { getHeapSpaceStatistics } from 'node:v8'
import { expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { readRecords } from '../reading/read-records.ts'
import { chunkBytes, chunkCipher, newDataKey } from './chunk-cipher.ts'

/** Objects of more than 128 KiB. V8 keeps them until it collects the old memory, which can be a hundred megabytes later. */
const largeBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name.endsWith('large_object_space'))
    .reduce((sum, { space_used_size: used }) => sum + used, 0)
const largeMin = 128 * 1024

test.each([
  ['one byte for each character', 'Müller'],
  ['two bytes for each character', 'Łukasz'],
])('a file is read without large objects: text of %s', async (_, name) => {
  const rows = Array.from({ length: 40_000 }, (_value, n) => `person${n}@example.org,${name} ${n}\n`)
  const file = Buffer.from(`email,name\n${rows.join('')}`)
  function* chunks() {
    for (let from = 0; from < file.length; from += chunkBytes) yield file.subarray(from, from + chunkBytes)
  }
  const format = { encoding: 'utf-8', delimiter: ',', headers: ['email', 'name'] }
  const before = largeBytes()
  let most = before
  let count = 0
  for await (const { records } of readRecords(chunks(), format)) {
    most = Math.max(most, largeBytes())
    count += records.length
  }
  expect(count).toBe(rows.length)
  expect(most - before).toBeLessThan(largeMin)
})

test('the text of a chunk, as the driver receives it, is no large object', () => {
  const cipher = chunkCipher(newDataKey(), { workspace_id: newId(), id: newId() })
  const ciphertext = cipher.encrypt({ position: 0, isLast: false }, Buffer.alloc(chunkBytes))
  const before = largeBytes()
  const text = `\\x${ciphertext.toString('hex')}`
  expect(text.charCodeAt(text.length - 1)).toBeGreaterThan(0)
  expect(largeBytes() - before).toBeLessThan(largeMin)
})
