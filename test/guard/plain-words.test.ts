import { expect, test } from '@jest/globals'
import { countIn, countsOfCode, documents, exceptionsFile, instead } from './plain-words.ts'
import { read } from './tree.ts'

const exceptions = JSON.parse(read(exceptionsFile)) as Record<string, Record<string, number>>

test('the words are found in sentences and in identifiers, and not where they mean characters', () => {
  expect(countIn('The Letter landed. const standingWish = twinOf(a_stranger)')).toEqual({
    'letters?': 1,
    landed: 1,
    'wish(?:es|ed)?': 1,
    'twins?': 1,
    'strangers?': 1,
  })
  expect(countIn('deadLetters, dead_letter, lettergate, letters, digits and hyphens; letter case')).toEqual({})
})

test('documents, protos and OpenAPI documents use plain words', () => {
  expect(documents().length).toBeGreaterThan(150)
  const found = documents().flatMap((path) =>
    Object.keys(countIn(read(path))).map((word) => `${path}: not "${word}", write ${instead[word]!}`),
  )
  expect(found).toEqual([])
})

test('TypeScript has no more of these words than the exceptions say, and the exceptions only shrink', () => {
  const counts = countsOfCode()
  const folders = [...new Set([...Object.keys(counts), ...Object.keys(exceptions)])].toSorted()
  const found = folders.flatMap((folder) =>
    Object.keys(instead).flatMap((word) => {
      const count = counts[folder]?.[word] ?? 0
      const most = exceptions[folder]?.[word] ?? 0
      if (count > most) return [`${folder}: "${word}" ${count} times, at most ${most}: write ${instead[word]!}`]
      if (count < most) return [`${folder}: "${word}" only ${count} times now: run node test/guard/plain-words.ts`]
      return []
    }),
  )
  expect(found).toEqual([])
})
