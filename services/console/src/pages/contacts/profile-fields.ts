import type { ContactProfile, FieldDefinitionsResponse } from '@lettergate/client/console'
import { initialOf, type AnyField } from '../../dialogs/fields.ts'
import { fieldLabelsOf } from '../../parts/field-labels.ts'

export type FieldDefinition = FieldDefinitionsResponse['field_definitions'][number]
type Input = string | string[] | boolean

const profile = {
  first_name: ['First name'],
  last_name: ['Last name'],
  company: ['Company'],
  country_code: ['Country', 'Two capital letters, such as GB.'],
  locale: ['Language', 'Such as en or de-AT.'],
  timezone: ['Time zone', 'Such as Europe/Vienna.'],
  phone: ['Phone'],
} as const

/** The keys of custom fields stand apart from those of the profile. */
const customKey = (key: string) => `custom.${key}`

const kinds: Record<FieldDefinition['field_type'], AnyField['kind']> = {
  text: 'text',
  long_text: 'long',
  integer: 'number',
  decimal: 'number',
  boolean: 'choice',
  date: 'date',
  datetime: 'moment',
  single_choice: 'choice',
  multiple_choice: 'choices',
  url: 'text',
}

function typedOf({ field_type }: FieldDefinition, value: unknown): Input {
  if (field_type === 'multiple_choice') return Array.isArray(value) ? value.map(String) : []
  if (value === undefined || value === null) return ''
  if (field_type === 'boolean') return value === true ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function choicesOf({ field_type, options }: FieldDefinition) {
  if (field_type !== 'boolean') return options.map((value) => ({ value, label: value }))
  return [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ]
}

/** The inputs for the profile of a contact and for each custom field of the workspace, with what is stored. */
export function profileFieldsOf(
  contact: Pick<ContactProfile, keyof typeof profile | 'custom_fields'>,
  definitions: readonly FieldDefinition[],
): Record<string, AnyField> {
  const custom = contact.custom_fields as Record<string, unknown>
  const labels = fieldLabelsOf(
    definitions,
    Object.values(profile).map(([label]) => label),
  )
  return Object.fromEntries([
    ...Object.entries(profile).map(([name, [label, about]]): [string, AnyField] => [
      name,
      {
        kind: 'text',
        label,
        isRequired: false,
        initial: contact[name as keyof typeof profile] ?? '',
        ...(about ? { about } : {}),
      },
    ]),
    ...definitions.map((definition): [string, AnyField] => [
      customKey(definition.field_key),
      {
        kind: kinds[definition.field_type],
        label: labels.get(definition.field_key)!,
        isRequired: false,
        initial: typedOf(definition, custom[definition.field_key]),
        choices: choicesOf(definition),
      } as AnyField,
    ]),
  ])
}

function valueOf({ field_type }: FieldDefinition, typed: Input): unknown {
  if (typeof typed !== 'boolean' && typed.length === 0) return null
  if (field_type === 'integer' || field_type === 'decimal') return Number(typed)
  return field_type === 'boolean' ? typed === 'yes' : typed
}

const isSame = (one: Input, other: Input) => String(one) === String(other)

/** What the user changed, as the request that stores it. What is untouched is left out; an emptied input clears its value. */
export function changedProfileOf(
  fields: Record<string, AnyField>,
  values: Readonly<Record<string, Input>>,
  definitions: readonly FieldDefinition[],
): Record<string, unknown> {
  const isChanged = (name: string) => name in fields && !isSame(values[name]!, initialOf(fields[name]!))
  const custom = definitions.filter(({ field_key }) => isChanged(customKey(field_key)))
  return {
    ...Object.fromEntries(
      Object.keys(profile)
        .filter(isChanged)
        .map((name) => [name, values[name] || null]),
    ),
    ...(custom.length > 0 && {
      custom_fields: Object.fromEntries(
        custom.map((definition) => [
          definition.field_key,
          valueOf(definition, values[customKey(definition.field_key)]!),
        ]),
      ),
    }),
  }
}
