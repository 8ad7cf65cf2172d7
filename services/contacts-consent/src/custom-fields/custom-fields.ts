import type { JsonObject, JsonValue } from '@bufbuild/protobuf'
import { Fault } from '@lettergate/fault'
import { isCalendarDate } from '@lettergate/values/calendar-date'
import { isDateTime } from '@lettergate/values/moment'
import { fitsIn } from '@lettergate/values/text'
import { workspaceLimits } from '../workspaces/workspace-limits.ts'

export const fieldTypes = [
  'text',
  'long_text',
  'integer',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'single_choice',
  'multiple_choice',
  'url',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** The version of a field definition that is in force. */
export interface DefinedField {
  readonly fieldKey: string
  readonly fieldType: FieldType
  /** the choices of the two choice types, else empty */
  readonly options: readonly string[]
}

/** The changes of a partial write to the custom fields of a contact. */
export interface CustomFieldChange {
  readonly set: JsonObject
  readonly cleared: readonly string[]
}

export const noChange: CustomFieldChange = { set: {}, cleared: [] }

const textMax = 500
const longTextMax = 10_000

/** A URL that is valid in an email. Forms that only a lenient parser accepts (`https:x.test`, surrounding blanks) are refused. */
const isWebUrl = (value: string): boolean =>
  value.length <= textMax && /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value)

/** The check of each type, and its description in error messages. */
const types: Record<
  FieldType,
  { description: string; isValid: (value: JsonValue, options: readonly string[]) => boolean }
> = {
  text: {
    description: `a text of at most ${textMax} characters`,
    isValid: (value) => typeof value === 'string' && fitsIn(textMax, value),
  },
  long_text: {
    description: `a text of at most ${longTextMax} characters`,
    isValid: (value) => typeof value === 'string' && fitsIn(longTextMax, value),
  },
  integer: { description: 'a whole number', isValid: (value) => Number.isSafeInteger(value) },
  decimal: { description: 'a number', isValid: (value) => typeof value === 'number' && Number.isFinite(value) },
  boolean: { description: 'true or false', isValid: (value) => typeof value === 'boolean' },
  date: {
    description: 'a date such as 2026-03-31',
    isValid: (value) => typeof value === 'string' && isCalendarDate(value),
  },
  datetime: {
    description: 'a date-time with an offset such as 2026-03-31T09:00:00+02:00',
    isValid: (value) => typeof value === 'string' && isDateTime(value),
  },
  single_choice: {
    description: 'one of its options',
    isValid: (value, options) => typeof value === 'string' && options.includes(value),
  },
  multiple_choice: {
    description: 'a list of its options, each once',
    isValid: (value, options) =>
      Array.isArray(value) &&
      new Set(value).size === value.length &&
      value.every((item) => typeof item === 'string' && options.includes(item)),
  },
  url: { description: 'an http or https URL', isValid: (value) => typeof value === 'string' && isWebUrl(value) },
}

/** Whether a field of this definition can have this value. */
export const isFieldValue = ({ fieldType, options }: DefinedField, value: JsonValue): boolean =>
  types[fieldType].isValid(value, options)

/** The keys that a write names. Throws Fault `invalid_argument` for more than a workspace can have, without a look at them. */
export function customFieldKeys(given: JsonObject): string[] {
  const keys = Object.keys(given)
  const most = workspaceLimits.field_definitions
  if (keys.length <= most) return keys
  throw new Fault(
    'invalid_argument',
    'custom_fields',
    `custom_fields has more than ${most} keys, and a workspace has no more custom fields than that. Send fewer.`,
  )
}

/** Most problems that one refusal names. */
const problemsMax = 20

/** The problem with a non-null value, or undefined. */
function problemOf(key: string, value: JsonValue, definition: DefinedField | undefined): string | undefined {
  if (!definition) return `custom_fields: ${JSON.stringify(key.slice(0, 100))} is not defined. Define the field first.`
  if (value === null || types[definition.fieldType].isValid(value, definition.options)) return undefined
  return `custom_fields: ${key} must be ${types[definition.fieldType].description}.`
}

/**
 * Checks given custom fields against the definitions in force. null clears a key; keys not given stay.
 * Throws Fault `invalid_argument` with reason `custom_fields`, naming each key that is wrong on a line of its own.
 */
export function parseCustomFields(given: JsonObject, definitions: readonly DefinedField[]): CustomFieldChange {
  const byKey = new Map(definitions.map((definition) => [definition.fieldKey, definition]))
  const entries = Object.entries(given)
  const problems = entries.flatMap(([key, value]) => problemOf(key, value, byKey.get(key)) ?? [])
  if (problems.length > 0) {
    throw new Fault('invalid_argument', 'custom_fields', problems.slice(0, problemsMax).join('\n'))
  }
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    cleared: entries.filter(([, value]) => value === null).map(([key]) => key),
  }
}
