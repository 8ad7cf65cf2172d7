import { describe, expect, test } from '@jest/globals'
import { parseSealingKeys } from '@lettergate/sealing'
import { openSecret, sealSecret } from './webhook-secret.ts'

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url')
const keys = parseSealingKeys(`k2:${key(2)},k1:${key(1)}`)

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
