import { createHmac, timingSafeEqual } from 'node:crypto'

/** What Mailgun signs: the timestamp and a token, not the body. */
export interface Signature {
  timestamp: string
  token: string
  signature: string
}

const ageMaxSeconds = 9 * 3600
const aheadMaxSeconds = 5 * 60

/**
 * Ten digits exactly: timestamp and token are signed as one string without a border between them, so a shifted border
 * (a digit of the one counted to the other) would still carry a right signature.
 */
const timestampPattern = /^\d{10}$/

/** Whether the key made the signature. Compares in constant time. */
export function isGenuine({ timestamp, token, signature }: Signature, key: string): boolean {
  if (!timestampPattern.test(timestamp) || !/^[0-9a-f]{64}$/i.test(signature)) return false
  const expected = createHmac('sha256', key).update(timestamp).update(token).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

/** Mailgun retries for about 8 hours and may send the first signature again; older ones, or ones from the future, are no retry. */
export function isFresh({ timestamp }: Signature, now: Date): boolean {
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  return ageSeconds <= ageMaxSeconds && ageSeconds >= -aheadMaxSeconds
}
