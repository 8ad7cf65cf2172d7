import { describe, expect, test } from '@jest/globals'
import { parseWebhookSecret } from './webhook-secret.ts'

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
      expect(refusal).toMatchObject({ code: 'invalid_argument', reason: 'secret' })
      if (text.length > 10) expect(String(refusal)).not.toContain(text)
    },
  )
})
