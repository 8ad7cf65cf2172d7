import { expect, test } from '@jest/globals'
import { parseLine } from './plain-text.ts'

test.each([
  ['  Åsa at Acme ', 'Åsa at Acme'],
  ['العربية', 'العربية'],
  ['👩‍💻', '👩‍💻'],
])('%j is accepted', (typed, line) => expect(parseLine(typed, 'name')).toBe(line))

test.each([
  '',
  ' \t',
  'a\r\nBcc: x@evil.test',
  'a\u2028b',
  // a reader would see other text than the stored one
  'Acme \u202egro.live',
  '\u2066Acme',
  '\u200b\u2060',
  'x'.repeat(161),
])('%j is refused naming the field', (typed) =>
  expect(() => parseLine(typed, 'display_name')).toThrow(
    expect.objectContaining({ code: 'invalid_argument', reason: 'display_name' }),
  ),
)
