import type { TagFilter } from '@lettergate/contracts/contacts/v1/tags'
import { Fault } from '@lettergate/fault'
import { parseTag, tagsMax } from './tag-names.ts'

/** Ids of tags. A contact must meet all conditions. */
export interface TagCondition {
  /** the contact has at least one tag of each group */
  required: string[][]
  /** the contact has none of these tags */
  forbidden: string[]
}

/** Parses a filter by tag names; null if it is empty. Throws Fault `invalid_argument` with the name of the invalid list. */
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

/** Replaces the names of a filter by tag ids. Throws Fault `failed_precondition` with the name of an unknown tag. */
export function conditionOf(
  filter: NonNullable<ReturnType<typeof parseTagFilter>>,
  ids: ReadonlyMap<string, string>,
): TagCondition {
  const idOf = (name: string): string => {
    const id = ids.get(name)
    if (id !== undefined) return id
    throw new Fault(
      'failed_precondition',
      'tag_filter',
      `tag_filter names the tag ${name}, which is not there; it may have been renamed or merged. Make a new version of the draft with the tags that there are.`,
    )
  }
  const { any, all, none } = filter
  return {
    required: [...(any.length > 0 ? [any] : []), ...all.map((name) => [name])].map((group) => group.map(idOf)),
    forbidden: none.map(idOf),
  }
}
