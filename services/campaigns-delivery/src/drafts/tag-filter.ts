import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { requiredText } from '@lettergate/values/text'

/** Which contacts of the audiences are meant, by their tags. */
export interface TagFilter {
  any?: string[]
  all?: string[]
  none?: string[]
}

const lists = ['any', 'all', 'none'] as const
const namesMax = 50
const nameCharsMax = 100

/**
 * A filter as it is kept: names trimmed, each once, lists without names left out; one that asks for nothing is null. A
 * misspelt list would widen whom a campaign goes to, so it is refused. Fault `invalid_argument` names the list.
 */
export function parseTagFilter(given: JsonObject | undefined): TagFilter | null {
  if (given === undefined) return null
  const unknown = Object.keys(given).find((key) => !lists.some((list) => list === key))
  if (unknown !== undefined)
    throw new Fault('invalid_argument', 'tag_filter', 'tag_filter takes any, all and none, and nothing else.')
  const filter: TagFilter = {}
  for (const list of lists) {
    const names = parseNames(`tag_filter.${list}`, given[list])
    if (names.length > 0) filter[list] = names
  }
  return Object.keys(filter).length === 0 ? null : filter
}

function parseNames(field: string, given: JsonValue | undefined): string[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given) || !given.every((name) => typeof name === 'string'))
    throw new Fault('invalid_argument', field, `${field} must be a list of tag names.`)
  const names = [...new Set(given.map((name) => requiredText(field, name.trim(), nameCharsMax)))]
  if (names.length > namesMax)
    throw new Fault('invalid_argument', field, `${field} must name at most ${namesMax} tags. Send fewer.`)
  return names
}
