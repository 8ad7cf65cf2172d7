import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { Fault } from '@lettergate/fault'

/** What a request asked for, as SHA-256 over RFC 8785 JSON: equal requests, equal fingerprints. */
export const fingerprintOf = (payload: object): string =>
  createHash('sha256')
    .update(canonicalize(payload) ?? '')
    .digest('hex')

/** An Idempotency-Key of `charsMin` to 200 characters, as it was sent. */
export function parseIdempotencyKey(key: string, charsMin = 1): string {
  if (key.length >= charsMin && key.length <= 200) return key
  throw new Fault(
    'invalid_argument',
    'Idempotency-Key',
    `Idempotency-Key must be a header of ${charsMin} to 200 characters.`,
  )
}

/** The key was used before for something else. */
export const keyTaken = (): Fault =>
  new Fault(
    'conflict',
    'idempotency_key',
    'This Idempotency-Key was already used for another request. Repeat the first request unchanged, or use a new key.',
  )
