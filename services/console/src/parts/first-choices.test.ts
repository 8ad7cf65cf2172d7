import { expect, test } from '@jest/globals'
import { firstChoices, drawnMost } from './first-choices.ts'

const options = Array.from({ length: 10_000 }, (_, n) => ({ value: `${n}`, label: `Tag ${n}` }))
const labelsOf = (search: string) =>
  firstChoices({ options, search, limit: Infinity }).map((option) => ('label' in option ? option.label : option.group))

test('of 10,000 choices the first are drawn, and a line that cannot be chosen says how many more there are', () => {
  const first = firstChoices({ options, search: '', limit: Infinity })
  expect(first).toHaveLength(drawnMost + 1)
  expect(first.at(-1)).toMatchObject({ label: '9,950 more. Type a part of the name.', disabled: true })
})

test('what was typed is found among all, and few matches are drawn alone', () => {
  expect(labelsOf(' TAG 9998 ')).toEqual(['Tag 9998'])
  expect(labelsOf('tag 999').slice(0, 3)).toEqual(['Tag 999', 'Tag 9990', 'Tag 9991'])
  expect(labelsOf('nothing')).toEqual([])
})
