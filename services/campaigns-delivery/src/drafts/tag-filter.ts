import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { requiredText } from '@lettergate/values/text'

const lists = ['any', 'all', 'none'] as const

/** Selects contacts of the audiences by their tags. */
export type TagFilter = Partial<Record<(typeof lists)[number], string[]>>

const namesMax = 50
const nameCharsMax = 100

/**
 * Parses a filter: trims names, removes repeated names and empty lists; null if nothing is left. An unknown list name is
 * refused, because ignoring it would send the campaign to more contacts. Fault `invalid_argument` names the list.
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
