import { describe, expect, test } from '@jest/globals'
import { open, parseSealingKeys, seal, sealingKeys } from './sealing.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
const keys = parseSealingKeys(`k2:${key(2)},k1:${key(1)}`)
const value = Buffer.from('a secret value')

describe('a sealed value', () => {
  test('is decrypted for its own row only, also with the old key', () => {
    const sealed = seal(keys, 'row 1', value)
    expect(sealed).toMatch(/^k2:/)
    expect(Buffer.from(sealed, 'base64url').includes(value)).toBe(false)
    expect(seal(keys, 'row 1', value)).not.toBe(sealed)
    expect(open(keys, 'row 1', sealed)).toEqual(value)
    expect(open(keys, 'row 2', sealed)).toBeUndefined()
    expect(open(parseSealingKeys(`k3:${key(3)},k2:${key(2)}`), 'row 1', sealed)).toEqual(value)
  })

  test('is not decrypted with another key, without its key, or when it was changed', () => {
    const sealed = seal(keys, 'row 1', value)
    expect(open(parseSealingKeys(`k2:${key(3)}`), 'row 1', sealed)).toBeUndefined()
    expect(open(parseSealingKeys(`k3:${key(3)}`), 'row 1', sealed)).toBeUndefined()
    for (let at = 3; at < sealed.length; at += 1) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      // the last character of base64url may hold bits that no byte uses
      if (Buffer.from(changed.slice(3), 'base64url').equals(Buffer.from(sealed.slice(3), 'base64url'))) continue
      expect(open(keys, 'row 1', changed)).toBeUndefined()
    }
    expect(open(keys, 'row 1', 'k2:short')).toBeUndefined()
    expect(open(keys, 'row 1', '')).toBeUndefined()
  })

  test('of no bytes is decrypted as well', () =>
    expect(open(keys, 'row 1', seal(keys, 'row 1', Buffer.alloc(0)))).toEqual(Buffer.alloc(0)))

  test('cannot be made without a key', () =>
    expect(() => seal(parseSealingKeys(''), 'row 1', value)).toThrow('there is no key'))
})

test('the variable is secret and empty by default', () => {
  const variable = sealingKeys('SOME_KEYS')
  expect(variable).toMatchObject({ name: 'SOME_KEYS', secret: true, fallback: '' })
  expect(variable.parse(`k1:${key(1)}`).get('k1')).toEqual(Buffer.alloc(32, 1))
})

test.each(['k1', 'k1:', 'k1:short', `k1:${key(1)}:x`, `k1:${key(1)},k1:${key(2)}`, `k 1:${key(1)}`])(
  'the keys %j are refused without showing a key',
  (text) => {
    let refusal = ''
    try {
      parseSealingKeys(text)
    } catch (error) {
      refusal = (error as Error).message
    }
    expect(refusal).toMatch(/^must /)
    expect(refusal).not.toContain(key(1))
  },
)
