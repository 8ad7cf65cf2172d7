import { expect, test } from '@jest/globals'
import { fieldInWords, fieldsIn } from './field-in-words.ts'

const labels = {
  consent_basis: 'Basis of the consent',
  explicit_opt_in: '“Everybody agreed”',
  allowed_origins: 'Origins',
}

test.each([
  ['from_name must not be empty.', 'From name must not be empty.'],
  ['allowed_origins[0] must be an origin.', 'Origins, entry 1 must be an origin.'],
  ['mapping[3].target is required.', 'Mapping, entry 4, target is required.'],
  [
    'policy: consent_basis is required with explicit_opt_in.',
    'Basis of the consent is required with “Everybody agreed”.',
  ],
  ['policy: status_values: "active" must be one of subscribed.', 'Status values: "active" must be one of subscribed.'],
  ['policy must be an object.', 'Policy must be an object.'],
  ['Tag_filter names the tag big_spenders.', 'Tag_filter names the tag big_spenders.'],
  ['The sender is not enabled.', 'The sender is not enabled.'],
  ['', ''],
])('%s → %s', (problem, words) => {
  expect(fieldInWords(problem, labels)).toBe(words)
})

test.each([
  ['from_name must not be empty.', ['from_name']],
  ['allowed_origins[0] must be an origin.\nslug: this text is too long.', ['allowed_origins', 'slug']],
  ['policy: consent_basis is required with explicit_opt_in.', ['consent_basis']],
  ['The sender is not enabled.', []],
])('%s is about %j', (message, names) => {
  expect(fieldsIn(message)).toEqual(names)
})
