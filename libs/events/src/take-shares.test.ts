import { expect, test } from '@jest/globals'
import { takeShares } from './take-shares.ts'

const waitingOf = (text: string) => text.split('').map((workspaceId, at) => ({ event: { workspaceId }, at }))
const shown = (events: { event: { workspaceId: string } }[]) => events.map(({ event }) => event.workspaceId).join('')

test.each([
  ['fewer than a batch stay as they are', 'aab', 4, 'aab', 'aab'],
  ['each workspace has the same share', 'aaaaaaab', 4, 'aaab', 'aaabaaaa'],
  ['what is left goes to those who came first', 'aaaaabbc', 7, 'aaaabbc', 'aaaabbca'],
  ['more workspaces than a batch have one each', 'aaabcd', 3, 'abc', 'abcaad'],
])('%s', (_, given, most, next, after) => {
  const waiting = waitingOf(given)
  expect(shown(takeShares(waiting, most))).toBe(next)
  expect(shown(waiting)).toBe(after)
  for (const own of Map.groupBy(waiting, ({ event }) => event.workspaceId).values())
    expect(own.map(({ at }) => at)).toEqual(own.map(({ at }) => at).toSorted((a, b) => a - b))
})
