import { describe, expect, test } from '@jest/globals'
import { alignmentOf } from './alignment.ts'

describe('alignment', () => {
  test.each<[string, string | null, boolean, string]>([
    ['mail.acme.test', 'mail.acme.test', false, 'aligned'],
    ['mail.acme.test', 'mail.acme.test', true, 'aligned'],
    ['mail.acme.test', 'acme.test', false, 'aligned'],
    ['mail.acme.test', 'acme.test', true, 'misaligned'],
    ['mail.acme.co.uk', 'other.co.uk', false, 'misaligned'],
    ['a.github.io', 'b.github.io', false, 'misaligned'],
    ['mail.acme.test', 'mailgun.org', false, 'misaligned'],
    ['mail.acme.test', null, false, 'misaligned'],
  ])('mail from %s signed by %s (strict: %s) is %s', (from, signing, isStrict, state) => {
    expect(alignmentOf(from, signing, isStrict).state).toBe(state)
  })
})
