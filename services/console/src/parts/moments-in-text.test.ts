import { expect, test } from '@jest/globals'
import { splitAtMoments } from './moments-in-text.ts'

test.each([
  ['No import is in progress.', ['No import is in progress.']],
  [
    'The newest verified rehearsal is of 2026-11-28T17:11:04.719Z.',
    ['The newest verified rehearsal is of ', '2026-11-28T17:11:04.719Z', '.'],
  ],
  [
    'From 2026-11-28T17:11:04Z to 2026-11-28T18:00:00.000Z',
    ['From ', '2026-11-28T17:11:04Z', ' to ', '2026-11-28T18:00:00.000Z', ''],
  ],
])('%j has its moments at the odd places', (text, parts) => {
  expect(splitAtMoments(text)).toEqual(parts)
})
