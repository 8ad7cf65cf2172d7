import { expect, test } from '@jest/globals'
import { chosenLanguage, languageOf, languages, wordsIn } from './preference-words.ts'

const sentencesOf = (language: (typeof languages)[number]) =>
  Object.values(wordsIn(language)).map((words: unknown) =>
    typeof words === 'function' ? String(words('WORKSPACE', 'AUDIENCE')) : String(words),
  )

test.each(languages)('the texts in %s are complete and need no HTML escaping', (language) => {
  for (const sentence of sentencesOf(language)) {
    expect(sentence.trim()).not.toBe('')
    expect(sentence).not.toMatch(/[&<>"'{}]|undefined/)
  }
})

test('no sentence is the same in two languages', () => {
  const all = languages.flatMap((language) => sentencesOf(language).filter((sentence) => sentence.includes(' ')))
  expect(new Set(all).size).toBe(all.length)
})

test.each([
  ['de', false, 'de'],
  ['DE-at', 'fr', 'de'],
  ['sv_SE', 'fr', 'sv'],
  ['', 'fr', 'fr'],
  ['ja', 'es', 'es'],
  ['ja', false, 'en'],
  [undefined, 'sv', 'sv'],
  [undefined, false, 'en'],
  ['__proto__', 'constructor', 'en'],
] as const)('locale %s and a browser that asks for %s are spoken to in %s', (locale, browser, language) => {
  expect(languageOf(locale, browser)).toBe(language)
})

test('the language that the reader chose comes before any other', () => {
  expect(languageOf('de', 'fr', 'ar')).toBe('ar')
})

test.each(['xx', '', 'DE', '__proto__', ['de'], undefined])('%j cannot be chosen as a language', (lang) => {
  expect(chosenLanguage(lang)).toBeUndefined()
})

test('there are at least ten languages, one of them written from right to left, each with its own name for itself', () => {
  expect(languages.length).toBeGreaterThanOrEqual(10)
  expect(languages.filter((language) => wordsIn(language).direction === 'rtl')).toContain('ar')
  const names = languages.map((language) => wordsIn(language).nameOfLanguage)
  expect(new Set(names).size).toBe(languages.length)
})

test.each(languages)(
  'in %s, a page that does not work only says to try again, because some links expire',
  (language) => {
    expect(wordsIn(language).down.match(/\./g)).toHaveLength(1)
  },
)
