import { expect, test } from '@jest/globals'
import { canSubscribe, consequenceOf, needsEvidence } from './default-status.ts'

test.each([
  ['subscribed', 'status_column', true, /no consent.*empty cell never/],
  ['', 'status_column', true, /no consent is recorded/],
  ['subscribed', 'status_column', false, /refused/],
  ['subscribed', 'explicit_opt_in', true, /evidence below/],
  ['subscribed', 'review_required', true, /not subscribed/],
  ['', 'explicit_opt_in', true, /no consent is recorded/],
  ['', 'explicit_opt_in', false, /evidence below/],
  ['', 'review_required', false, /reviews each/],
  ['pending', 'explicit_opt_in', false, /no consent is recorded/],
  ['unsubscribed', 'explicit_opt_in', true, /leave this audience/],
  ['suppressed', 'status_column', false, /no email of this workspace/],
] as const)(
  'rows without a status with default %j and %s, status column: %s',
  (status, policy, hasStatusColumn, words) => {
    expect(consequenceOf({ status, policy, hasStatusColumn })).toMatch(words)
  },
)

test('a column of the status that a profile has and the mapping leaves out subscribes nobody', () => {
  const given = { policy: 'explicit_opt_in', hasStatusColumn: false, isStatusLeftOut: true } as const
  expect(consequenceOf({ ...given, status: '' })).toMatch(/no consent is recorded/)
  expect(consequenceOf({ ...given, status: 'subscribed' })).toMatch(/evidence below/)
})

test.each([
  ['', 'explicit_opt_in', false, true, true],
  ['unsubscribed', 'explicit_opt_in', false, false, true],
  ['unsubscribed', 'explicit_opt_in', true, true, true],
  ['', 'status_column', true, true, true],
  ['subscribed', 'status_column', false, false, false],
  ['subscribed', 'review_required', true, false, false],
] as const)(
  'default %j with %s, status column %s: can subscribe %s, asks for evidence %s',
  (status, policy, hasStatusColumn, subscribes, asks) => {
    const given = { status, policy, hasStatusColumn }
    expect([canSubscribe(given), needsEvidence(given)]).toEqual([subscribes, asks])
  },
)
