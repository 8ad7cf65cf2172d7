import { Fault } from '@lettergate/fault'

/** Throws unless the given text equals the expected text exactly, so that a person confirms on purpose. */
export function requireConfirmation(given: string, expected: string): void {
  if (given !== expected)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly: ${expected}`)
}
