import { expect, test } from '@jest/globals'
import { nearestHeader } from './nearest-header.ts'

const headers = ['E-Mail', 'First name', 'Last name', 'Opt-in', '', 'x'.repeat(400)]

test.each([
  ['email', 'E-Mail'],
  ['Email', 'E-Mail'],
  ['Email Address', 'E-Mail'],
  ['First nmae', 'First name'],
  ['firstname', 'First name'],
  ['OPT IN', 'Opt-in'],
  ['Country', undefined],
  ['na', undefined],
  ['', undefined],
  ['#9', undefined],
  ['X'.repeat(400), 'x'.repeat(400)],
  ['x'.repeat(399), undefined],
])('the header that is most like %j', (name, expected) => expect(nearestHeader(name, headers)).toBe(expected))
