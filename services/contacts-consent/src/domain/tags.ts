import { Fault } from '@lettergate/fault'
import { charsMax, requiredText } from './free-text.ts'

export const tagsMax = 50

/** The whole list of a contact's tags: trimmed, each once, in the order given. Throws Fault `invalid_argument` with reason `tags`. */
export function parseTags(given: readonly string[]): string[] {
  const names = [...new Set(given.map((name) => requiredText('tags', name.trim(), charsMax.tag)))]
  if (names.length > tagsMax) {
    throw new Fault('invalid_argument', 'tags', `tags: a contact has at most ${tagsMax} tags. Send fewer.`)
  }
  return names
}
