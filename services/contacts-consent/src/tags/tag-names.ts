import { Fault } from '@lettergate/fault'
import { requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'

export const tagsMax = 50

/** One tag, trimmed. Tags are case-sensitive. Throws Fault `invalid_argument` naming the field. */
export const parseTag = (field: string, given: string): string => requiredText(field, given.trim(), charsMax.tag)

/** The complete tag list of a contact: trimmed, without duplicates, in the given order. Throws Fault `invalid_argument` with reason `tags`. */
export function parseTags(given: readonly string[]): string[] {
  const names = [...new Set(given.map((name) => parseTag('tags', name)))]
  if (names.length > tagsMax) {
    throw new Fault('invalid_argument', 'tags', `tags: a contact has at most ${tagsMax} tags. Send fewer.`)
  }
  return names
}
