import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isDateTime } from '@lettergate/values/moment'
import { customKeyOf, type SubjectComparison, type Definition, type JsonValue } from './definition.ts'
import { comparisonsOf } from './references.ts'

/** The type of each custom field by its key, as contacts-consent names them. */
export type FieldTypes = ReadonlyMap<string, string>

/** The type of a field by the name that definitions use. A field without a known type is a text. */
export function typeOfField(field: string, types: FieldTypes): string {
  const key = customKeyOf(field)
  return key === undefined ? 'text' : (types.get(key) ?? 'text')
}

const numbers = new Set(['integer', 'decimal'])
const dates = new Set(['date', 'datetime'])

/** Checks the values, dates and operators of a definition against the types of the fields that it names. */
export function checkFieldTypes({ trigger, nodes, edges }: Definition, types: FieldTypes): string[] {
  const typeOf = (field: string): string => typeOfField(field, types)
  const mustBeDate = (field: string): string[] =>
    dates.has(typeOf(field)) ? [] : [`${field} is of the type ${typeOf(field)}, and its use needs a date or datetime.`]
  return [
    ...(trigger.type === 'contact_date' ? mustBeDate(trigger.field) : []),
    ...nodes.flatMap((node) => {
      if (node.type === 'wait_until_date') return 'field' in node.until ? mustBeDate(node.until.field) : []
      if (node.type !== 'update_contact_field' || node.value === null) return []
      return fits(typeOf(node.field), node.value) ? [] : [misfit(node.field, typeOf(node.field))]
    }),
    ...edges
      .flatMap(({ condition }) => (condition ? comparisonsOf(condition) : []))
      .flatMap((comparison) => comparisonProblems(comparison, typeOf)),
  ]
}

const misfit = (field: string, type: string) => `${field} is of the type ${type}, and a value given for it is not.`

function comparisonProblems(
  { subject, operator, value }: SubjectComparison,
  typeOf: (field: string) => string,
): string[] {
  if (!('field' in subject) || operator === 'exists' || operator === 'not_exists') return []
  const type = typeOf(subject.field)
  const hasOrder = numbers.has(type) || dates.has(type)
  if ((operator === 'greater_than' || operator === 'less_than') && !hasOrder)
    return [`${operator} needs a number or a date, and ${subject.field} is of the type ${type}.`]
  if (operator === 'contains' && (hasOrder || type === 'boolean'))
    return [`contains needs a text or a list, and ${subject.field} is of the type ${type}.`]
  // A field with several choices is compared choice by choice.
  const compared = type === 'multiple_choice' ? 'text' : type
  return [value].flat().every((one) => fits(compared, one)) ? [] : [misfit(subject.field, type)]
}

function fits(type: string, value: JsonValue): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'decimal') return typeof value === 'number'
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'multiple_choice') return Array.isArray(value)
  if (typeof value !== 'string') return false
  if (type === 'date') return isCalendarDate(value)
  return type === 'datetime' ? isDateTime(value) : true
}
