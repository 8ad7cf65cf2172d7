import { textOf } from './step-fields.ts'

type Condition = Readonly<Record<string, unknown>>

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
export function comparisonOf(condition: Condition): ConditionInputs | null {
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
export function conditionOf({ subject, of, operator, value }: ConditionInputs, fieldType?: string): Condition {
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
