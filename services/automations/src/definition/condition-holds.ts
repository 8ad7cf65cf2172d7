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

/** The registered type of a field. */
export type TypeOf = (field: string) => string

/** Whether a condition holds for a contact. A comparison with a field that has no value holds only for `not_exists` and `not_equals`. */
export function conditionHolds(condition: EdgeCondition, contact: ContactFacts, typeOf: TypeOf): boolean {
  if ('all' in condition) return condition.all.every((part) => conditionHolds(part, contact, typeOf))
  if ('any' in condition) return condition.any.some((part) => conditionHolds(part, contact, typeOf))
  if ('not' in condition) return !conditionHolds(condition.not, contact, typeOf)
  const { subject, operator, value } = condition
  const isMoment = 'field' in subject && typeOf(subject.field) === 'datetime'
  const read = isMoment ? instantOf : (one: JsonValue) => one
  return compare(operator, read(valueOf(subject, contact)), Array.isArray(value) ? value.map(read) : read(value))
}

/** A date-time as milliseconds, so that its offset does not matter. */
const instantOf = (value: JsonValue): JsonValue =>
  typeof value === 'string' && isDateTime(value) ? Date.parse(value.toUpperCase()) : value

/** The compared value; null if there is none. A tag and a membership only exist or not. */
export function valueOf(subject: SubjectComparison['subject'], contact: ContactFacts): JsonValue {
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
  Array.isArray(actual) ? actual.includes(value) : actual === value

/** Below, at or above 0; NaN for values without an order. */
function order(actual: JsonValue, value: JsonValue): number {
  if (typeof actual === 'number' && typeof value === 'number') return actual - value
  if (typeof actual !== 'string' || typeof value !== 'string') return Number.NaN
  return actual < value ? -1 : Number(actual > value)
}
