import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { parseKeyRing } from './key-ring.ts'

test('a key below 256 bits, a repeated kid or a malformed ring is refused without showing the key', () => {
  const key = `k:${randomBytes(32).toString('base64url')}`
  const short = `k:${randomBytes(31).toString('base64url')}`
  for (const text of [
    '',
    'k',
    'k:',
    ':abc',
    short,
    `${key},${key}`,
    `${key},`,
    'k:not base64',
    `a.b:${randomBytes(32).toString('base64url')}`,
  ]) {
    let message = ''
    try {
      parseKeyRing(text)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/^must /)
    expect(message).not.toContain(short.slice(2))
  }
})
