import { expect, test } from '@jest/globals'
import { changesBetween } from './changes-between.ts'

const check = (code: string, status: 'pass' | 'warn' | 'block') => ({ code, label: `The ${code}`, status })

test('only checks whose status differs are changes, in the order of the later report', () => {
  const before = [check('gate', 'block'), check('sender', 'pass'), check('backlog', 'warn')]
  const after = [check('backlog', 'pass'), check('sender', 'pass'), check('gate', 'pass')]
  expect(changesBetween(before, after)).toEqual([
    { code: 'backlog', label: 'The backlog', before: 'warn', after: 'pass' },
    { code: 'gate', label: 'The gate', before: 'block', after: 'pass' },
  ])
  expect(changesBetween(after, after)).toEqual([])
})

test('a check that only one of the reports has is a change without a status on the other side', () => {
  expect(changesBetween([check('old', 'pass')], [check('new', 'warn')])).toEqual([
    { code: 'new', label: 'The new', before: undefined, after: 'warn' },
    { code: 'old', label: 'The old', before: 'pass', after: undefined },
  ])
})
