import { customKeyOf, type SubjectComparison, type EdgeCondition, type Definition } from './definition.ts'

/** What a definition names of its workspace. Each list is without duplicates, in the order of the definition. */
export interface References {
  readonly audienceIds: string[]
  readonly tags: string[]
  /** keys of custom fields */
  readonly fieldKeys: string[]
  readonly contentVersionIds: string[]
  readonly senderIdentityIds: string[]
}

/** Lists the audiences, tags, custom fields, content versions and senders that a definition names. */
export function referencesOf({ trigger, nodes, edges }: Definition): References {
  const works = [...nodes, trigger] as object[]
  const named = [
    ...works,
    ...nodes.flatMap((node) => (node.type === 'wait_until_date' ? [node.until] : [])),
    ...edges.flatMap(({ condition }) => (condition ? comparisonsOf(condition).map(({ subject }) => subject) : [])),
  ]
  const valuesOf = (name: string): string[] => [
    ...new Set(named.flatMap((one) => (name in one ? [(one as Record<string, string>)[name]!] : []))),
  ]
  return {
    audienceIds: valuesOf('audienceId'),
    tags: valuesOf('tag'),
    fieldKeys: valuesOf('field').flatMap((field) => customKeyOf(field) ?? []),
    contentVersionIds: valuesOf('contentVersionId'),
    senderIdentityIds: valuesOf('senderIdentityId'),
  }
}

/** Each object that a definition names is looked up, so a definition names a limited number of each kind. */
const referencesMax = 200

/** A sentence for each kind of object of which a definition names too many. */
export function tooManyReferences(definition: Definition): string[] {
  const { audienceIds, tags, fieldKeys, contentVersionIds, senderIdentityIds } = referencesOf(definition)
  const counts = {
    audiences: audienceIds.length,
    tags: tags.length,
    'custom fields': fieldKeys.length,
    'content versions': contentVersionIds.length,
    'sender identities': senderIdentityIds.length,
  }
  return Object.entries(counts)
    .filter(([, count]) => count > referencesMax)
    .map(([kind, count]) => `The definition names ${count} ${kind}. Name at most ${referencesMax}.`)
}

/** The comparisons of a condition, from left to right. */
export function comparisonsOf(condition: EdgeCondition): SubjectComparison[] {
  if ('all' in condition) return condition.all.flatMap(comparisonsOf)
  if ('any' in condition) return condition.any.flatMap(comparisonsOf)
  return 'not' in condition ? comparisonsOf(condition.not) : [condition]
}
