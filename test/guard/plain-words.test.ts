import { expect, test } from '@jest/globals'
import { countIn, documents, instead, sources } from './plain-words.ts'
import { read } from './tree.ts'

test('the words are found in sentences and in identifiers, but not when they mean characters', () => {
  expect(countIn('The Letter landed. const standingWish = twinOf(a_stranger)')).toEqual({
    'letters?': 1,
    landed: 1,
    'wish(?:es|ed)?': 1,
    'twins?': 1,
    'strangers?': 1,
  })
  expect(countIn('deadLetters, dead_letter, lettergate, letters, digits and hyphens; letter case')).toEqual({})
})

const wordsFoundIn = (paths: readonly string[]) =>
  paths.flatMap((path) =>
    Object.keys(countIn(read(path))).map((word) => `${path}: not "${word}", write ${instead[word]!}`),
  )

test('documents, protos and OpenAPI documents use plain words', () => {
  expect(documents().length).toBeGreaterThan(150)
  expect(wordsFoundIn(documents())).toEqual([])
})

test('TypeScript uses plain words', () => {
  expect(sources().length).toBeGreaterThan(1_000)
  expect(wordsFoundIn(sources())).toEqual([])
})
