import { Fault } from '@lettergate/fault'
import { fieldTypes, type DefinedField, type FieldType } from './custom-fields.ts'
import { requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/chars-max.ts'

const keyPattern = /^[a-z][a-z0-9_]{0,99}$/

/** Most choices that one field can offer, and how long they may be together. */
export const optionsMax = 200
const optionsCharsMax = 10_000

const refuse = (field: string, message: string): never => {
  throw new Fault('invalid_argument', field, message)
}

/** The input of a field definition. */
export interface FieldDefinitionInput extends DefinedField {
  readonly label: string
}

/** Parses and checks a field definition. Only choice types have options, without duplicates. Fault `invalid_argument` with the field. */
export function parseFieldDefinition(given: {
  fieldKey: string
  label: string
  fieldType: string
  options: readonly string[]
}): FieldDefinitionInput {
  if (!keyPattern.test(given.fieldKey)) {
    refuse(
      'field_key',
      'field_key must begin with a small letter and continue with small letters, digits and underscores, at most 100 in all.',
    )
  }
  const label = requiredText('label', given.label.trim(), charsMax.name)
  const fieldType =
    fieldTypes.find((type) => type === given.fieldType) ??
    refuse('field_type', `field_type must be one of ${fieldTypes.join(', ')}.`)
  return { fieldKey: given.fieldKey, label, fieldType, options: parseOptions(fieldType, given.options) }
}

function parseOptions(fieldType: FieldType, given: readonly string[]): string[] {
  if (fieldType !== 'single_choice' && fieldType !== 'multiple_choice') {
    return given.length === 0 ? [] : refuse('options', `options belong to choice fields; ${fieldType} has none.`)
  }
  if (given.length === 0) refuse('options', `options are required with field_type ${fieldType}.`)
  if (given.length > optionsMax) refuse('options', `options: a field offers at most ${optionsMax}. Send fewer.`)
  const options = given.map((option) => requiredText('options', option.trim()))
  if (options.join('').length > optionsCharsMax)
    refuse('options', `options are longer than ${optionsCharsMax} characters together. Shorten them.`)
  if (new Set(options).size < options.length) refuse('options', 'options must differ from each other.')
  return options
}
