import { describe, expect, test } from '@jest/globals'
import { parseSealingKeys } from '@lettergate/sealing'
import { openSecret, parseWebhookSecret, sealSecret } from './webhook-secret.ts'

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
  test('is decrypted in its own workspace only', () => {
    const sealed = sealSecret(keys, 'w1', 'whsec_x')
    expect(sealed).toMatch(/^k2:/)
    expect(sealed).not.toContain('whsec_x')
    expect(openSecret(keys, 'w1', sealed)).toBe('whsec_x')
    expect(openSecret(keys, 'w2', sealed)).toBeUndefined()
  })

  test('of an earlier release is decrypted', () =>
    expect(openSecret(keys, 'w1', 'k2:2B2h7NsXLMB9gSup_Tg7vy_eMcjeM5dZIxkGAlULHlCALxs')).toBe('whsec_x'))

  test('cannot be encrypted without a key', () =>
    expect(() => sealSecret(parseSealingKeys(''), 'w1', 'whsec_x')).toThrow('CAMPAIGN_WEBHOOK_KEYS'))
})
