import { expect, test } from '@jest/globals'
import { languages } from '../preferences/preference-words.ts'
import { confirmationWordsIn } from './confirmation-words.ts'

const sentencesOf = (language: (typeof languages)[number]) =>
  Object.values(confirmationWordsIn(language)).map((words: unknown) =>
    typeof words === 'function' ? String(words('WORKSPACE', 'AUDIENCE')) : String(words),
  )

test.each(languages)('the texts in %s are complete and need no HTML escaping', (language) => {
  for (const sentence of sentencesOf(language)) {
    expect(sentence.trim()).not.toBe('')
    expect(sentence).not.toMatch(/[&<>"'{}]|undefined/)
  }
})

test('no sentence is the same in two languages', () => {
  const all = languages.flatMap(sentencesOf)
  expect(new Set(all).size).toBe(all.length)
})
