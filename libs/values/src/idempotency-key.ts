import { Fault } from '@lettergate/fault'

/** Checks that an Idempotency-Key has `charsMin` to 200 characters. */
export function parseIdempotencyKey(key: string, charsMin = 1): string {
  if (key.length >= charsMin && key.length <= 200) return key
  throw new Fault(
    'invalid_argument',
    'Idempotency-Key',
    `Idempotency-Key must be a header of ${charsMin} to 200 characters.`,
  )
}

/** The key was used before for another request. */
export const keyTaken = (): Fault =>
  new Fault(
    'conflict',
    'idempotency_key',
    'This Idempotency-Key was already used for another request. Repeat the first request unchanged, or use a new key.',
  )
