import { Fault } from '@lettergate/fault'

/** Longest free strings, in characters. */
export const charsMax = { personName: 160, name: 160, company: 200, tag: 100, other: 500 } as const

/** Whether a text is within a limit of characters, however many code units one of them takes. */
export const fitsIn = (max: number, value: string): boolean => value.length <= max || Array.from(value).length <= max

function checkText(field: string, value: string, max: number): string {
  if (value.includes('\u0000')) {
    throw new Fault('invalid_argument', field, `${field} contains a NUL character. Remove it.`)
  }
  if (!fitsIn(max, value)) {
    throw new Fault('invalid_argument', field, `${field} is longer than ${max} characters. Shorten it.`)
  }
  return value
}

/** A string that says something: not empty, not blank, within the limit. Throws Fault `invalid_argument` naming the field. */
export function requiredText(field: string, value: string, max: number = charsMax.other): string {
  if (value.trim() === '') throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  return checkText(field, value, max)
}

/** A string or nothing; unset is null. Throws Fault `invalid_argument` naming the field. */
export const optionalText = (field: string, value: string | undefined, max: number = charsMax.other): string | null =>
  value === undefined ? null : checkText(field, value, max)
