import type { JsonValue } from '@bufbuild/protobuf'
import { isFieldValue, type DefinedField, type FieldType } from './custom-fields.ts'

const booleans = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])

/** The types whose values a cell writes in another way than the API. */
const readers: Partial<Record<FieldType, (text: string) => JsonValue | undefined>> = {
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  decimal: (text) => (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined),
  boolean: (text) => booleans.get(text.toLowerCase()),
  multiple_choice: (text) =>
    text
      .split(';')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
}

/**
 * The value that a cell of a file means for a custom field, or undefined if the field cannot have it. A boolean is true, yes, 1,
 * false, no or 0; several choices are separated by semicolons; the other types are written as in the API.
 */
export function customFieldOfText(definition: DefinedField, text: string): JsonValue | undefined {
  const reader = readers[definition.fieldType]
  const value = reader ? reader(text) : text
  return value !== undefined && !text.includes('\u0000') && isFieldValue(definition, value) ? value : undefined
}
