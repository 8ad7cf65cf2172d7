import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { escapeHtml } from '../src/html.ts'
import { isSlug, parseSlug } from '../src/slug.ts'
import { fitsIn, optionalText, requiredText, textCharsMax } from '../src/text.ts'

const refused = (field: string) => expect.objectContaining({ code: 'invalid_argument', reason: field })

test('a limit counts characters, not code units', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 0, max: 30 }), (text, max) => {
      expect(fitsIn(max, text)).toBe(Array.from(text).length <= max)
    }),
  )
  expect(requiredText('name', '😀'.repeat(5), 5)).toBe('😀'.repeat(5))
  expect(() => requiredText('name', '😀'.repeat(6), 5)).toThrow(refused('name'))
})

test('a text without a given limit has at most 500 characters', () => {
  expect(requiredText('note', 'x'.repeat(textCharsMax))).toHaveLength(500)
  expect(() => requiredText('note', 'x'.repeat(501))).toThrow(refused('note'))
  expect(() => optionalText('note', 'x'.repeat(501))).toThrow(refused('note'))
})

test.each(['', ' ', '\n\t', 'a\u0000b'])('%j is refused as a required text', (text) => {
  expect(() => requiredText('name', text)).toThrow(refused('name'))
})

test('an optional text may be unset or empty, and must not contain NUL', () => {
  expect(optionalText('name', undefined)).toBeNull()
  expect(optionalText('name', '')).toBe('')
  expect(() => optionalText('name', 'a\u0000')).toThrow(refused('name'))
})

test('a slug is words of lower-case letters and digits, joined by single hyphens', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-zA-Z0-9-]{1,20}$/)), (text) => {
      const words = text.split('-')
      expect(isSlug(text)).toBe(words.every((word) => /^[a-z0-9]+$/.test(word) && !word.includes('\n')))
    }),
  )
  expect(parseSlug('slug', 'a-b2', 10)).toBe('a-b2')
  for (const text of ['', 'A', 'a--b', '-a', 'a-', 'a b', 'a'.repeat(11), 'a\n']) {
    expect(() => parseSlug('slug', text, 10)).toThrow(refused('slug'))
  }
})

test('escaped text contains no character of markup or quotes, and shows the original text', () => {
  const back: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[&<>"'a;#39]{0,30}$/)), (text) => {
      const escaped = escapeHtml(text)
      expect(escaped).not.toMatch(/[<>"']/)
      expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => back[entity]!)).toBe(text)
    }),
  )
})
