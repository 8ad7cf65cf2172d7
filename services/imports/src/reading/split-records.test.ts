import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newlineOf, splitRecords, type CsvRecord, type Dialect } from './split-records.ts'

const soup = fc.string({
  unit: fc.constantFrom('"', ',', '\n', '\r\n', '\r', 'a', ' ', '""', '"\n', 'é'),
  maxLength: 300,
})
const dialects = fc.constantFrom<Dialect>({ delimiter: ',', newline: '\n' }, { delimiter: ',', newline: '\r' })

test('a text in pieces has the records of the whole text', () => {
  fc.assert(
    fc.property(soup, dialects, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (text, dialect, sizes) => {
      const found: CsvRecord[] = []
      let rest = ''
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const size = sizes[n % sizes.length]!
        const split = splitRecords(rest + text.slice(at, at + size), dialect, false)
        found.push(...split.records)
        rest = split.rest
        at += size
      }
      const last = splitRecords(rest, dialect, true)
      expect(last.rest).toBe('')
      expect([...found, ...last.records]).toEqual(splitRecords(text, dialect, true).records)
    }),
    { numRuns: 3_000 },
  )
})

test('a text of good rows and no quotes has one record for each line', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-c,]{0,9}$/)), (lines) => {
      const text = lines.map((line) => `${line}\n`).join('')
      const { records } = splitRecords(text, { delimiter: ',', newline: '\n' }, true)
      expect(records).toEqual(lines.map((line) => line.split(',')))
    }),
  )
})

test.each([
  ['a,b\nc', '\n'],
  ['a,b\r\nc\n', '\n'],
  ['a,b\rc\n', '\r'],
  ['"a\rb",c\n', '\n'],
  ['"a\nb",c\r', '\r'],
  ['5" disk,c\rd', '\r'],
  ['a', '\n'],
])('the first row of %j ends with %j', (text, newline) => expect(newlineOf(text)).toBe(newline))
