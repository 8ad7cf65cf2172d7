import { create } from '@bufbuild/protobuf'
import { UpsertContactRequestSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { expect, test } from '@jest/globals'
import { parseContactWrite } from './contact-write.ts'
import { assignedCountries } from './country-code.ts'

const request = (init: object) =>
  create(UpsertContactRequestSchema, { email: 'a@example.com', source: 'test', ...init })

const now = new Date()

test('a mask selects known fields; without a mask, the fields that are set are selected', () => {
  expect(
    parseContactWrite(request({ firstName: 'A', updateMask: { paths: ['company', 'nonsense', 'email'] } }), now).named,
  ).toEqual(['company'])
  expect(parseContactWrite(request({ firstName: 'A', isLegacy: false, customFields: {} }), now).named).toEqual([
    'first_name',
    'custom_fields',
    'is_legacy',
  ])
})

test('custom fields are cleared as a whole only when named and unset', () => {
  const clears = (init: object) => parseContactWrite(request(init), now).clears_custom
  expect(clears({ updateMask: { paths: ['custom_fields'] } })).toBe(true)
  expect(clears({ customFields: {}, updateMask: { paths: ['custom_fields'] } })).toBe(false)
  expect(clears({})).toBe(false)
})

test('a limit counts characters, not code units', () => {
  expect(parseContactWrite(request({ firstName: '😀'.repeat(160) }), now).first_name).toHaveLength(320)
  expect(() => parseContactWrite(request({ firstName: '😀'.repeat(161) }), now)).toThrow(
    expect.objectContaining({ reason: 'first_name' }),
  )
})

test('only assigned country codes in capitals are accepted', () => {
  expect(assignedCountries.size).toBe(249)
  expect(parseContactWrite(request({ countryCode: 'de' }), now).country_code).toBe('DE')
  for (const countryCode of ['', 'D', 'EU', 'UK', 'DEU', 'ß']) {
    expect(() => parseContactWrite(request({ countryCode }), now)).toThrow(
      expect.objectContaining({ reason: 'country_code' }),
    )
  }
})
