import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isCanonicalUuid, isUuid, parseUuid } from '../src/uuid.ts'

test('a UUID of any version is accepted in either case and returned in lower case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.array(fc.boolean(), { minLength: 36, maxLength: 36 }), (id, upper) => {
      const given = Array.from(id, (character, index) => (upper[index] ? character.toUpperCase() : character)).join('')
      expect(isUuid(given)).toBe(true)
      expect(parseUuid(given)).toBe(id)
      expect(isCanonicalUuid(given)).toBe(given === id)
    }),
  )
})

test.each([
  '',
  'x',
  '0199a3c4-6d30-7e2f-9580-111299edd56',
  '0199a3c4-6d30-7e2f-9580-111299edd5688',
  '0199a3c46d307e2f9580111299edd568',
  '{0199a3c4-6d30-7e2f-9580-111299edd568}',
  'urn:uuid:0199a3c4-6d30-7e2f-9580-111299edd568',
  ' 0199a3c4-6d30-7e2f-9580-111299edd568',
  '0199a3c4-6d30-7e2f-9580-111299edd568\n',
  '0199g3c4-6d30-7e2f-9580-111299edd568',
])('%j is not a UUID', (text) => {
  expect(isUuid(text)).toBe(false)
  expect(parseUuid(text)).toBeUndefined()
})

test('every other text is refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 30, maxLength: 40 }), (text) => {
      expect(isUuid(text)).toBe(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text))
    }),
  )
})
