import { Fault } from '@lettergate/fault'

/** One of the allowed values, or null if none is given. Throws Fault `invalid_argument` naming the field. */
export function oneOf<const T extends string>(
  field: string,
  allowed: readonly T[],
  given: string | undefined,
): T | null {
  if (given === undefined) return null
  const found = allowed.find((value) => value === given)
  if (found === undefined) throw new Fault('invalid_argument', field, `${field} must be one of ${allowed.join(', ')}.`)
  return found
}
