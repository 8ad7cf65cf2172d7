import type { DetailedDraft } from '@lettergate/client/console'

/** The names in a tag filter that no tag of the workspace has; none before its tags are read. */
export function unknownTags(
  filter: DetailedDraft['tag_filter'] | undefined,
  tags: readonly { name: string }[] | undefined,
): string[] {
  if (tags === undefined) return []
  const known = new Set(tags.map(({ name }) => name))
  return [...new Set(Object.values(filter ?? {}).flat())].filter((name) => !known.has(name.trim()))
}

/** “vpi is no tag of this workspace”. */
export const unknownInWords = (names: readonly string[]): string =>
  names.length === 1 ? `${names[0]} is no tag of this workspace` : `${names.join(', ')} are no tags of this workspace`
