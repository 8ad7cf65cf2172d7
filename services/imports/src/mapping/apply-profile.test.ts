import { expect, test } from '@jest/globals'
import { applyProfile } from './apply-profile.ts'
import { builtInProfiles } from './built-in-profiles.ts'
import { compileMapping } from './compile-mapping.ts'
import type { Mapping } from './import-mapping.ts'
import type { ImportPolicy } from './import-policy.ts'

/** The status of a row of a file without the column of the status. */
function statusWithoutColumn(
  profile: { mapping: Mapping; policy: ImportPolicy },
  given: { mapping?: Mapping; policy?: Record<string, unknown> } = {},
) {
  const headers = [
    ...Object.keys(profile.mapping).filter((header) => profile.mapping[header] !== 'status'),
    'subscriber_status',
  ]
  const { mapping, policy } = applyProfile(profile, { mapping: {}, policy: {}, ...given }, headers)
  const job = { headers, mapping, policy: policy as ImportPolicy, consent_policy: 'explicit_opt_in' as const }
  const row = compileMapping(job).mapRow(
    headers.map((header) =>
      header === 'subscriber_status' ? 'unsubscribed' : profile.mapping[header] === 'email' ? 'ada@example.com' : '',
    ),
  )
  return typeof row === 'string' ? row : row.status
}

test.each(builtInProfiles.filter(({ name }) => name !== 'Mailchimp, subscribed'))(
  'the profile "$name" subscribes nobody of a file without the column of the status',
  (profile) => {
    expect(['pending', 'unsubscribed', 'suppressed']).toContain(statusWithoutColumn(profile))
  },
)

test('the profile of subscribed contacts of Mailchimp subscribes them, because its file has only these', () => {
  const profile = builtInProfiles.find(({ name }) => name === 'Mailchimp, subscribed')!
  expect(statusWithoutColumn(profile)).toBe('subscribed')
})

test('a saved profile with a column of the status subscribes nobody of a file without it', () => {
  const profile = { mapping: { Mail: 'email', State: 'status' }, policy: {} }
  expect(statusWithoutColumn(profile)).toBe('pending')
  expect(statusWithoutColumn({ ...profile, policy: { default_status: 'suppressed' } })).toBe('suppressed')
  expect(statusWithoutColumn(profile, { policy: { default_status: 'subscribed' } })).toBe('subscribed')
  expect(statusWithoutColumn(profile, { policy: { default_status: null } })).toBe('pending')
  expect(statusWithoutColumn(profile, { mapping: { subscriber_status: 'status' } })).toBe('unsubscribed')
})
