import type { TagFilter } from '@lettergate/contracts/contacts/v1/tags'
import { Fault } from '@lettergate/fault'
import { carriedDuring, parseTag, tagsMax, type RunningChange } from './tag-names.ts'

/** Groups of names that each mean one tag, in conjunctive form. */
export interface TagCondition {
  /** at least one of each group */
  required: string[][]
  /** none of these */
  forbidden: string[]
}

/** What a contact's tags must be; a filter that asks for nothing is null. Fault `invalid_argument` names the list. */
export function parseTagFilter(given: Pick<TagFilter, 'any' | 'all' | 'none'> | undefined) {
  const any = parseNames('tag_filter.any', given?.any ?? [])
  const all = parseNames('tag_filter.all', given?.all ?? [])
  const none = parseNames('tag_filter.none', given?.none ?? [])
  return any.length + all.length + none.length === 0 ? null : { any, all, none }
}

function parseNames(field: string, given: readonly string[]): string[] {
  const names = [...new Set(given.map((name) => parseTag(field, name)))]
  if (names.length > tagsMax)
    throw new Fault('invalid_argument', field, `${field} must name at most ${tagsMax} tags. Send fewer.`)
  return names
}

/** The condition on the names that contacts carry at a moment at which this change is running. */
export function conditionOf(
  filter: NonNullable<ReturnType<typeof parseTagFilter>>,
  running: RunningChange | undefined,
): TagCondition {
  const { any, all, none } = filter
  return {
    required: [...(any.length > 0 ? [any] : []), ...all.map((name) => [name])].map((group) =>
      carriedDuring(running, group),
    ),
    forbidden: carriedDuring(running, none),
  }
}
