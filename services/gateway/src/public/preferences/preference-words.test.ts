import { expect, test } from '@jest/globals'
import { chosenLanguage, languageOf, languages, wordsIn } from './preference-words.ts'

const sentencesOf = (language: (typeof languages)[number]) =>
  Object.values(wordsIn(language)).map((words: unknown) =>
    typeof words === 'function' ? String(words('WORKSPACE', 'AUDIENCE')) : String(words),
  )

test.each(languages)('the words of %s are complete and hold nothing that HTML would have to escape', (language) => {
  for (const sentence of sentencesOf(language)) {
    expect(sentence.trim()).not.toBe('')
    expect(sentence).not.toMatch(/[&<>"'{}]|undefined/)
  }
})

test('no sentence was left in another language', () => {
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

test('the language that the reader chose is spoken before any other', () => {
  expect(languageOf('de', 'fr', 'ar')).toBe('ar')
})

test.each(['xx', '', 'DE', '__proto__', ['de'], undefined])('%j is no language to choose', (lang) => {
  expect(chosenLanguage(lang)).toBeUndefined()
})

test('there are ten languages and more, one of them written from right to left, each named by its speakers', () => {
  expect(languages.length).toBeGreaterThanOrEqual(10)
  expect(languages.filter((language) => wordsIn(language).direction === 'rtl')).toContain('ar')
  const names = languages.map((language) => wordsIn(language).nameOfLanguage)
  expect(new Set(names).size).toBe(languages.length)
})
