import { tagNamed, valueOf, type ContactFacts } from './condition-holds.ts'
import type { JsonObject, JsonValue, SubjectComparison } from './definition.ts'
import type { Graph } from './graph.ts'

/** So that the timeline of 1,000 steps fits into one reply. */
const bytesMax = 2_048
const charactersMax = 200
const choicesMax = 20

/**
 * What these comparisons looked at, each subject once: fields with their type and value, tags by name, memberships and the score. Long
 * values are cut, and what does not fit is left out.
 */
export function comparedValues(
  comparisons: readonly SubjectComparison[],
  contact: ContactFacts,
  graph: Pick<Graph, 'typeOf' | 'tagName'>,
): JsonObject[] {
  const compared = new Map<string, JsonObject>()
  let bytes = 0
  for (const { subject } of comparisons) {
    const key = JSON.stringify(subject)
    if (compared.has(key)) continue
    const shown = shownSubject(subject, contact, graph)
    bytes += Buffer.byteLength(JSON.stringify(shown))
    if (bytes > bytesMax) break
    compared.set(key, shown)
  }
  return [...compared.values()]
}

function shownSubject(
  subject: SubjectComparison['subject'],
  contact: ContactFacts,
  { typeOf, tagName }: Pick<Graph, 'typeOf' | 'tagName'>,
): JsonObject {
  const value = valueOf(subject, contact)
  if ('score' in subject) return { score: true, type: 'integer', value }
  if ('audienceId' in subject) return { audience_id: subject.audienceId, type: 'boolean', value: value === true }
  if ('tag' in subject) {
    const name = contact.tags.find(tagNamed(subject.tag, contact))?.name ?? tagName(subject.tag)
    return { tag: name, type: 'boolean', value: value === true }
  }
  const cut = cutValue(value)
  const type = typeOf(subject.field)
  return { field: subject.field, type, value: cut, ...(cut === value ? {} : { is_cut: true }) }
}

/** The same value if it is short enough. */
function cutValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > charactersMax ? cutText(value) : value
  if (!Array.isArray(value)) return value
  const choices = value.slice(0, choicesMax).map(cutValue)
  return choices.length === value.length && choices.every((one, index) => one === value[index]) ? value : choices
}

/** Without half of a surrogate pair at its end, which JSON in the database refuses. */
const cutText = (text: string): string => text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')
