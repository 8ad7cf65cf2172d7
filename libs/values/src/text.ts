import { Fault } from '@lettergate/fault'

/** Longest text that has no limit of its own, in characters. */
export const textCharsMax = 500

/** Whether a text is within a limit of characters (code points), however many code units one of them takes. */
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

/** A text that says something: not empty, not blank, within the limit, without NUL. Throws Fault `invalid_argument` naming the field. */
export function requiredText(field: string, given: string, max: number = textCharsMax): string {
  if (given.trim() === '') throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  return checked(field, given, max)
}

/** A text within the limit and without NUL, or nothing; unset is null. Throws Fault `invalid_argument` naming the field. */
export const optionalText = (field: string, given: string | undefined, max: number = textCharsMax): string | null =>
  given === undefined ? null : checked(field, given, max)
