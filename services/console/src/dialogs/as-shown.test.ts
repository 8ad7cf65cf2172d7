import { expect, test } from '@jest/globals'
import { asShown, askedFor } from './as-shown.ts'

test.each([
  ['an accent that is a character of its own', 'Cafe\u0301 news', 'Caf\u00e9 news'],
  ['a zero-width space', 'Spring\u200bnews', 'Springnews'],
  ['a character that turns the text', 'Spring \u202enews\u202c', 'Spring news'],
  ['a soft hyphen at the end', 'Spring news \u00ad', 'Spring news'],
  ['a sign drawn as an emoji', 'Spring \u2764\ufe0f', 'Spring \u2764'],
  ['a character without a width', 'Spring\u034f news', 'Spring news'],
  ['a blank of another script', 'Spring\u2800news', 'Springnews'],
  ['white space', '  Spring\u00a0 \tnews\n', 'Spring news'],
])('a phrase with %s is what is seen of it', (_, phrase, seen) => {
  expect([asShown(phrase), asShown(seen)]).toEqual([seen, seen])
})

test('another accent is another text', () => {
  expect(asShown('Cafe')).not.toBe(asShown('Café'))
})

test('a name of which nothing is drawn still has a phrase', () => {
  expect(askedFor('\u200b\u3164 ')).toBe('a name that does not show')
  expect(askedFor(' Spring  news')).toBe('Spring news')
})
