import { expect, test } from '@jest/globals'
import { cooldownMs } from './backoff.ts'

test('a cooldown is never shorter than the provider asked for', () => {
  expect(cooldownMs('rate_limited', 1, 30_000)).toBe(30_000)
  expect(cooldownMs('rate_limited', 1)).toBe(1_000)
})

test('cooldowns double up to a maximum', () => {
  expect([1, 2, 3, 4].map((failures) => cooldownMs('ambiguous', failures))).toEqual([2_000, 4_000, 8_000, 16_000])
  expect(cooldownMs('unreachable', 1_000)).toBe(60_000)
  expect(cooldownMs('credential_refused', 1)).toBe(60_000)
})
