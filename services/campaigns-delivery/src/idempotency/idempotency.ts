import { Fault } from '@lettergate/fault'

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
