import { textOf } from './step-fields.ts'

export type BranchCondition = Readonly<Record<string, unknown>>

export const subjects = [
  { value: 'tag', label: 'Tag' },
  { value: 'audience_id', label: 'Member of an audience' },
  { value: 'field', label: 'Field' },
  { value: 'score', label: 'Score' },
] as const
export type Subject = (typeof subjects)[number]['value']

const presence = ['exists', 'not_exists']
const numeric = ['equals', 'not_equals', 'greater_than', 'less_than', 'in']

/** What can be asked about a subject. */
export const operatorsOf = (subject: Subject): readonly string[] =>
  subject === 'score' ? numeric : subject === 'field' ? [...presence, 'contains', ...numeric] : presence

/** A condition with one part, as texts for inputs. */
export interface ConditionInputs {
  subject: Subject
  /** the tag, the id of the audience, or the key of the field; empty for the score */
  of: string
  operator: string
  /** empty for `exists` and `not_exists`; the values of `in` are separated by commas */
  value: string
}

const text = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value))

const known = new Set<string>([...subjects.map(({ value }) => value), 'operator', 'value'])

/** A condition as texts, or null if it has several parts or something that the inputs do not know. */
export function comparisonOf(condition: BranchCondition): ConditionInputs | null {
  const subject = subjects.find(({ value }) => value in condition)?.value
  if (subject === undefined || !Object.keys(condition).every((name) => known.has(name))) return null
  return {
    subject,
    of: subject === 'score' ? '' : text(condition[subject]),
    operator: text(condition['operator']),
    value: text(condition['value']),
  }
}

export const needsValue = (operator: string): boolean => !presence.includes(operator)

/** The condition of some texts. Values are numbers for the score and for fields of numbers, truths for fields of truths. */
export function conditionOf({ subject, of, operator, value }: ConditionInputs, fieldType?: string): BranchCondition {
  const isNumber = subject === 'score' || fieldType === 'integer' || fieldType === 'decimal'
  const typed = (one: string) => {
    const trimmed = one.trim()
    if (isNumber && trimmed !== '' && !Number.isNaN(Number(trimmed))) return Number(trimmed)
    return fieldType === 'boolean' && ['true', 'false'].includes(trimmed) ? trimmed === 'true' : trimmed
  }
  return {
    [subject]: subject === 'score' ? true : of,
    operator,
    ...(needsValue(operator) ? { value: operator === 'in' ? value.split(',').map(typed) : typed(value) } : {}),
  }
}

/** How the parts of a condition are combined. */
export const combinations = [
  { value: 'one', label: 'One thing' },
  { value: 'all', label: 'All of several things' },
  { value: 'any', label: 'Any of several things' },
  { value: 'not', label: 'The opposite of something' },
] as const
export type Combination = (typeof combinations)[number]['value']

/** The condition of a part that was just added. */
export const firstCondition: BranchCondition = { tag: '', operator: 'exists' }

/** How a condition is combined, and its parts; `one` has none. */
export function partsOf(condition: BranchCondition): { combination: Combination; parts: readonly BranchCondition[] } {
  const names = Object.keys(condition)
  const [name] = names
  const content = name === undefined ? undefined : condition[name]
  if (names.length === 1 && (name === 'all' || name === 'any') && Array.isArray(content))
    return { combination: name, parts: content as BranchCondition[] }
  if (names.length === 1 && name === 'not' && typeof content === 'object' && content !== null)
    return { combination: 'not', parts: [content as BranchCondition] }
  return { combination: 'one', parts: [] }
}

/** A condition of these parts. */
export const combined = (combination: Combination, parts: readonly BranchCondition[]): BranchCondition => {
  const [first = firstCondition] = parts
  if (combination === 'one') return first
  return combination === 'not' ? { not: first } : { [combination]: parts.length === 0 ? [first] : parts }
}
