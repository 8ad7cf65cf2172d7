import { Fault } from '@lettergate/fault'

/** Default limit of a text, in characters. */
export const textCharsMax = 500

/** Whether a text is within a limit of characters (code points, not code units). */
export const fitsIn = (max: number, text: string): boolean => text.length <= max || Array.from(text).length <= max

function checked(field: string, text: string, max: number): string {
  if (text.includes('\u0000')) {
    throw new Fault('invalid_argument', field, `${field} contains a NUL character. Remove it.`)
  }
  if (!fitsIn(max, text)) {
    throw new Fault('invalid_argument', field, `${field} is longer than ${max} characters. Shorten it.`)
  }
  return text
}

/** A required text: not empty or blank, within the limit, without NUL. Throws Fault `invalid_argument` with the field. */
export function requiredText(field: string, given: string, max: number = textCharsMax): string {
  if (given.trim() === '') throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  return checked(field, given, max)
}

/** An optional text within the limit and without NUL; unset is null. Throws Fault `invalid_argument` with the field. */
export const optionalText = (field: string, given: string | undefined, max: number = textCharsMax): string | null =>
  given === undefined ? null : checked(field, given, max)

/** Whether a JSON value contains a NUL character, in a text or a name, at any depth. PostgreSQL cannot store such a value. */
export const containsNul = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes('\u0000')
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, part]) => name.includes('\u0000') || containsNul(part))
}
