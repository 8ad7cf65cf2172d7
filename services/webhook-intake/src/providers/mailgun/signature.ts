import { createHmac, timingSafeEqual } from 'node:crypto'

/** Mailgun signs the timestamp and a token, not the body. */
export interface Signature {
  timestamp: string
  token: string
  signature: string
}

const ageMaxSeconds = 9 * 3600
const aheadMaxSeconds = 5 * 60

/**
 * Exactly ten digits: timestamp and token are signed as one string without a separator, so a digit moved from one to the other
 * would still have a valid signature.
 */
const timestampPattern = /^\d{10}$/

/** Whether the signature was made with the key. Compares in constant time. */
export function isGenuine({ timestamp, token, signature }: Signature, key: string): boolean {
  if (!timestampPattern.test(timestamp) || !/^[0-9a-f]{64}$/i.test(signature)) return false
  const expected = createHmac('sha256', key).update(timestamp).update(token).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

/** Mailgun retries for about 8 hours and may send the first signature again; a signature that is older or from the future is refused. */
export function isFresh({ timestamp }: Signature, now: Date): boolean {
  const ageSeconds = now.getTime() / 1000 - Number(timestamp)
  return ageSeconds <= ageMaxSeconds && ageSeconds >= -aheadMaxSeconds
}
