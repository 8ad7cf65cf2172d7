import { expect, test } from '@jest/globals'
import { readGrant } from './source-callers.ts'

const id = '0190a3a0-0000-7000-8000-00000000000a'
const other = '0190a3a0-0000-7000-8000-00000000000b'
const none = '00000000-0000-0000-0000-000000000000'

test.each([
  ['one source and one permission', `subscription-source:${id} events.write`, id, ['events.write']],
  [
    'both permissions in any order and spacing',
    ` audiences.read  subscription-source:${id} events.write`,
    id,
    ['audiences.read', 'events.write'],
  ],
  ['a source named twice', `subscription-source:${id} subscription-source:${id}`, id, []],
  ['an id in capitals', `subscription-source:${id.toUpperCase()}`, id, []],
  ['words of other systems', `openid subscription-source:${id} events.write`, id, ['openid', 'events.write']],
  [
    'two sources, which name none',
    `subscription-source:${id} subscription-source:${other} events.write`,
    none,
    ['events.write'],
  ],
  ['no source', 'events.write audiences.read', none, ['events.write', 'audiences.read']],
  ['an id that is none', 'subscription-source:site events.write', none, ['events.write']],
  ['the prefix alone', 'subscription-source: events.write', none, ['events.write']],
  ['nothing', '', none, []],
])('a grant that names %s', (_, scope, grantedSourceId, permissions) => {
  expect(readGrant(scope)).toEqual({ grantedSourceId, permissions })
})
