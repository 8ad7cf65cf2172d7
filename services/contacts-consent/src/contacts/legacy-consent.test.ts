import { expect, test } from '@jest/globals'
import { gradeLegacyConsent } from './legacy-consent.ts'

const full = { captured_at: '2019-05-01T10:00:00Z', source: 'fair', wording: 'yes' }

test.each([
  ['documented', full],
  ['documented', { ...full, captured_at: '2019-05-01' }],
  ['partial', { ...full, captured_at: '2035-02-30T10:00:00Z' }],
  ['documented', { ...full, captured_at: '2026-07-02' }],
  ['partial', { ...full, captured_at: '2026-07-03' }],
  ['partial', { ...full, captured_at: '2999-01-01T00:00:00Z' }],
  ['partial', { ...full, captured_at: 'last year' }],
  ['partial', { ...full, wording: '  ' }],
  ['partial', { source: 'fair' }],
  ['undocumented', { captured_at: '', source: ' ', wording: null }],
  ['undocumented', { note: 'they asked for it' }],
  ['undocumented', {}],
  ['undocumented', undefined],
])('it is %s for %j', (grade, evidence) => {
  expect(gradeLegacyConsent(evidence, new Date('2026-07-01T12:00:00Z'))).toBe(grade)
})
