import { describe, expect, test } from '@jest/globals'
import { open, parseSealingKeys, parseWebhookSecret, seal } from './webhook-secret.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
const keys = parseSealingKeys(`k2:${key(2)},k1:${key(1)}`)
const secret = (length: number) => `whsec_${Buffer.alloc(length, 7).toString('base64')}`

describe('a signing secret', () => {
  test.each([24, 25, 26, 32, 63, 64])('of %s bytes is accepted', (length) =>
    expect(parseWebhookSecret(secret(length))).toBe(secret(length)),
  )

  test('without its padding is the same secret', () =>
    expect(parseWebhookSecret(secret(25).replace(/=+$/, ''))).toBe(secret(25)))

  test.each(['', 'whsec_', secret(23), secret(65), secret(32).slice(6), `whsec_${'*'.repeat(40)}`, `${secret(32)}\n`])(
    'cannot be %j, and the error does not contain it',
    (text) => {
      let refusal: unknown
      try {
        parseWebhookSecret(text)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toMatchObject({ code: 'invalid_argument', reason: 'campaign_webhook_secret' })
      if (text.length > 10) expect(String(refusal)).not.toContain(text)
    },
  )
})

describe('a sealed secret', () => {
  test('is decrypted in its own workspace only, also with the old key', () => {
    const sealed = seal(keys, 'w1', 'whsec_x')
    expect(sealed).toMatch(/^k2:/)
    expect(sealed).not.toContain('whsec_x')
    expect(seal(keys, 'w1', 'whsec_x')).not.toBe(sealed)
    expect(open(keys, 'w1', sealed)).toBe('whsec_x')
    expect(open(keys, 'w2', sealed)).toBeUndefined()
    expect(open(parseSealingKeys(`k3:${key(3)},k2:${key(2)}`), 'w1', sealed)).toBe('whsec_x')
    expect(open(parseSealingKeys(`k2:${key(3)}`), 'w1', sealed)).toBeUndefined()
    expect(open(parseSealingKeys(`k3:${key(3)}`), 'w1', sealed)).toBeUndefined()
    expect(open(keys, 'w1', `${sealed.slice(0, -2)}AA`)).toBeUndefined()
    expect(open(keys, 'w1', 'k2:short')).toBeUndefined()
  })

  test('cannot be encrypted without a key', () =>
    expect(() => seal(parseSealingKeys(''), 'w1', 'whsec_x')).toThrow('CAMPAIGN_WEBHOOK_KEYS'))
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
