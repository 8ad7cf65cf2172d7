import { Fault } from '@lettergate/fault'

/** Lets only the exact text pass, byte for byte: a person must have meant it. */
export function requireConfirmation(given: string, expected: string): void {
  if (given !== expected)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly: ${expected}`)
}
