import { expect, test } from '@jest/globals'
import { heardChanges } from './heard-changes.ts'

test('a change concerns its workspaces only, and a change without workspaces concerns all', () => {
  const changes = heardChanges()
  const [ours, theirs] = [changes.watch('ours'), changes.watch('theirs')]
  changes.record(new Set(['theirs']))
  expect([ours(), theirs()]).toEqual([true, false])
  const theirsLater = changes.watch('theirs')
  expect(theirsLater()).toBe(true)
  changes.record(undefined)
  expect([ours(), theirs(), theirsLater()]).toEqual([false, false, false])
  expect(changes.watch('ours')()).toBe(true)
})

test('when more workspaces changed than are kept, no answer from before the changes counts as current', () => {
  const changes = heardChanges()
  const [changed, other] = [changes.watch('w0'), changes.watch('other')]
  for (let n = 0; n <= 10_000; n += 1) changes.record(new Set([`w${n}`]))
  expect([changed(), other()]).toEqual([false, false])
  const later = changes.watch('w0')
  changes.record(new Set(['w1']))
  expect(later()).toBe(true)
})
