import { expect, test } from '@jest/globals'
import { callsUnderWay } from './calls-under-way.ts'

test('a connection that hangs leaves room for another, and a workspace whose connections all hang for another workspace', () => {
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

test('whoever leaves gives the place back once, however often it is said', () => {
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
