import { Fault } from '@lettergate/fault'
import { charsMax, requiredText } from '../values/free-text.ts'

export const tagsMax = 50

/** One tag, trimmed. Tags are told apart by every letter and its case. Throws Fault `invalid_argument` naming the field. */
export const parseTag = (field: string, given: string): string => requiredText(field, given.trim(), charsMax.tag)

/** The whole list of a contact's tags: trimmed, each once, in the order given. Throws Fault `invalid_argument` with reason `tags`. */
export function parseTags(given: readonly string[]): string[] {
  const names = [...new Set(given.map((name) => parseTag('tags', name)))]
  if (names.length > tagsMax) {
    throw new Fault('invalid_argument', 'tags', `tags: a contact has at most ${tagsMax} tags. Send fewer.`)
  }
  return names
}

/** A rename or merge that contacts still follow: the two names mean one tag. */
export interface RunningChange {
  from: string
  to: string
}

/** These names, with both names of the running change where one of them is among them. */
export function carriedDuring(running: RunningChange | undefined, names: readonly string[]): string[] {
  if (!running || !(names.includes(running.to) || names.includes(running.from))) return [...names]
  return [...new Set([...names, running.from, running.to])]
}
