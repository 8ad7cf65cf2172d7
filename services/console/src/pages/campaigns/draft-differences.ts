import type { DetailedDraft } from '@lettergate/client/console'

export interface DraftDifference {
  /** what of the draft differs */
  of: string
  before: string
  after: string
}

type Draft = Pick<
  DetailedDraft,
  'name' | 'audience_ids' | 'tag_filter' | 'sender_identity_id' | 'content_version_id' | 'notes'
>

const kinds: Readonly<Record<string, string>> = { any: 'any of', all: 'all of', none: 'none of' }

/** “any of vip, london; none of staff”. */
export const tagsInWords = (filter: Draft['tag_filter']): string =>
  Object.entries(filter ?? {})
    .map(([kind, tags]) => `${kinds[kind] ?? kind} ${tags.join(', ')}`)
    .join('; ')

/** What differs between two versions of a draft, in words. `nameOf` names audiences, senders and contents. */
export function draftDifferences(before: Draft, after: Draft, nameOf: (id: string) => string): DraftDifference[] {
  const audiences = ({ audience_ids: ids }: Draft) => ids.map(nameOf).toSorted().join(', ')
  const parts: readonly (readonly [string, (draft: Draft) => string])[] = [
    ['Name', (draft) => draft.name],
    ['Audiences', audiences],
    ['Tags', (draft) => tagsInWords(draft.tag_filter)],
    ['Sender', (draft) => nameOf(draft.sender_identity_id)],
    ['Content', (draft) => nameOf(draft.content_version_id)],
    ['Notes', (draft) => draft.notes ?? ''],
  ]
  return parts
    .map(([of, wordsOf]) => ({ of, before: wordsOf(before), after: wordsOf(after) }))
    .filter((one) => one.before !== one.after)
}
