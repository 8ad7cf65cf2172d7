import { isDateTime } from '@lettergate/values/moment'
import type { EdgeCondition, JsonValue, Operator, SubjectComparison } from './definition.ts'

interface Tag {
  readonly id: string
  readonly name: string
}

/** What conditions compare: the contact at the time of the decision. */
export interface ContactFacts {
  /** the fields that have a value, by the names that definitions use */
  readonly fields: { readonly [field: string]: JsonValue }
  readonly tags: readonly Tag[]
  /** ids of merged tags that the definition names, with the ids of the tags that stayed */
  readonly mergedTags: ReadonlyMap<string, string>
  /** the audiences of which the contact is an active member */
  readonly audienceIds: readonly string[]
  readonly score: number
}

/** Whether a condition holds for a contact. A comparison with a field that has no value holds only for `not_exists` and `not_equals`. */
export function conditionHolds(condition: EdgeCondition, contact: ContactFacts): boolean {
  if ('all' in condition) return condition.all.every((part) => conditionHolds(part, contact))
  if ('any' in condition) return condition.any.some((part) => conditionHolds(part, contact))
  if ('not' in condition) return !conditionHolds(condition.not, contact)
  return compare(condition.operator, valueOf(condition.subject, contact), condition.value)
}

/** The compared value; null if there is none. A tag and a membership only exist or not. */
function valueOf(subject: SubjectComparison['subject'], contact: ContactFacts): JsonValue {
  if ('field' in subject) return contact.fields[subject.field] ?? null
  if ('score' in subject) return contact.score
  if ('tag' in subject) return contact.tags.some(tagNamed(subject.tag, contact)) || null
  return contact.audienceIds.includes(subject.audienceId) || null
}

/** Whether a tag is the one that a definition names, by its name or id, or by the id of a tag that was merged into it. */
export const tagNamed =
  (named: string, { mergedTags }: Pick<ContactFacts, 'mergedTags'>) =>
  ({ id, name }: Tag): boolean =>
    name === named || id === (mergedTags.get(named) ?? named)

function compare(operator: Operator, actual: JsonValue, value: JsonValue): boolean {
  switch (operator) {
    case 'exists':
      return actual !== null
    case 'not_exists':
      return actual === null
    case 'equals':
      return equals(actual, value)
    case 'not_equals':
      return !equals(actual, value)
    case 'in':
      return Array.isArray(value) && value.some((one) => equals(actual, one))
    case 'contains':
      return typeof actual === 'string' ? typeof value === 'string' && actual.includes(value) : equals(actual, value)
    case 'greater_than':
      return order(actual, value) > 0
    case 'less_than':
      return order(actual, value) < 0
  }
}

/** A field with several choices equals each of them. */
const equals = (actual: JsonValue, value: JsonValue): boolean =>
  Array.isArray(actual) ? actual.includes(value) : actual === value || order(actual, value) === 0

/** Below, at or above 0; NaN for values without an order. Date-times are compared as instants, whatever their offsets are. */
function order(actual: JsonValue, value: JsonValue): number {
  if (typeof actual === 'number' && typeof value === 'number') return actual - value
  if (typeof actual !== 'string' || typeof value !== 'string') return Number.NaN
  if (isDateTime(actual) && isDateTime(value)) return Date.parse(actual.toUpperCase()) - Date.parse(value.toUpperCase())
  return actual < value ? -1 : Number(actual > value)
}
