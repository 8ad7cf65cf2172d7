import { Fault } from '@lettergate/fault'

const control = /\p{Cc}|[\u2028\u2029]|[\ud800-\udfff]/u

/** One line of text a person typed: trimmed, not empty, at most `charactersMax`, without control characters. */
export function parseLine(text: string, field: string, charactersMax = 160): string {
  const line = text.trim()
  if (line === '') throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  if (line.length > charactersMax)
    throw new Fault('invalid_argument', field, `${field} must have at most ${charactersMax} characters.`)
  if (control.test(line))
    throw new Fault('invalid_argument', field, `${field} must be one line without control characters.`)
  return line
}

/** Free text of several lines, at most 500 characters; null when there is none. */
export function parseNotes(text: string | undefined, field = 'notes'): string | null {
  if (text === undefined) return null
  if (text.length > 500) throw new Fault('invalid_argument', field, `${field} must have at most 500 characters.`)
  if (control.test(text.replaceAll(/[\n\r\t]/g, '')))
    throw new Fault('invalid_argument', field, `${field} must not contain control characters.`)
  return text
}
