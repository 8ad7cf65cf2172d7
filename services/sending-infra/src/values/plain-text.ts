import { Fault } from '@lettergate/fault'
import { fitsIn, textCharsMax } from '@lettergate/values/text'

const control = /\p{Cc}|[\u2028\u2029]|[\ud800-\udfff]/u
// characters that change the text direction, so that a reader sees other text
const directional = /[\u202a-\u202e\u2066-\u2069]/
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** One line of text: trimmed, not empty, at most `charactersMax` characters, without control characters. */
export function parseLine(text: string, field: string, charactersMax = 160): string {
  const line = text.trim()
  if (!visible.test(line)) throw new Fault('invalid_argument', field, `${field} must not be empty.`)
  if (!fitsIn(charactersMax, line))
    throw new Fault('invalid_argument', field, `${field} must have at most ${charactersMax} characters.`)
  if (control.test(line) || directional.test(line))
    throw new Fault('invalid_argument', field, `${field} must be one line without control characters.`)
  return line
}

/** Text of several lines with at most 500 characters, or null. */
export function parseNotes(text: string | undefined, field = 'notes'): string | null {
  if (text === undefined) return null
  if (!fitsIn(textCharsMax, text))
    throw new Fault('invalid_argument', field, `${field} must have at most ${textCharsMax} characters.`)
  if (control.test(text.replaceAll(/[\n\r\t]/g, '')))
    throw new Fault('invalid_argument', field, `${field} must not contain control characters.`)
  return text
}
