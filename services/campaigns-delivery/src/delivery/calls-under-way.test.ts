import { expect, test } from '@jest/globals'
import { callsUnderWay } from './calls-under-way.ts'

test('a connection whose calls hang leaves room for another connection, and such a workspace for another workspace', () => {
  const calls = callsUnderWay(16)
  const enterAll = (workspace: string, connection: string) => {
    let entered = 0
    while (calls.enter(workspace, connection)) entered += 1
    return entered
  }
  const first = enterAll('one', 'a')
  expect(first).toBeLessThan(16)
  expect(enterAll('one', 'b')).toBeGreaterThan(0)
  enterAll('one', 'c')
  enterAll('one', 'd')
  expect(enterAll('two', 'e')).toBeGreaterThan(0)
})

test('leaving frees the place once, however often it is called', () => {
  const calls = callsUnderWay(1)
  const leave = calls.enter('one', 'a')!
  expect(calls.enter('two', 'b')).toBeUndefined()
  leave()
  const again = calls.enter('two', 'b')!
  leave()
  expect(calls.enter('one', 'a')).toBeUndefined()
  again()
  expect(calls.enter('one', 'a')).toBeDefined()
})
