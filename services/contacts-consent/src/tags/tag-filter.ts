import type { TagFilter } from '@lettergate/contracts/contacts/v1/tags'
import { Fault } from '@lettergate/fault'
import { parseTag, tagsMax } from './tag-names.ts'

/** Ids of tags, in conjunctive form. */
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

/** The filter by the ids of its tags. Fault `failed_precondition` names a tag without an id. */
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
