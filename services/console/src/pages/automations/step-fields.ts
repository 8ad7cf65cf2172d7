import type { AutomationNode } from '@lettergate/client'
import type { AnyField, DialogFields } from '../../dialogs/fields.ts'

export interface StepChoice {
  value: string
  label: string
}

/** What the inputs of a step offer. */
export interface StepChoices {
  senders: readonly StepChoice[]
  audiences: readonly StepChoice[]
  tags: readonly StepChoice[]
  /** keys with their names */
  fields: readonly StepChoice[]
  /** the types of custom fields by `custom.<key>` */
  fieldTypes: Readonly<Record<string, string>>
  /** the names of what the version uses, by their ids */
  names: Readonly<Record<string, string>>
}

type Values = Readonly<Record<string, unknown>>
type NodeType = AutomationNode['type']

export const nodeTypes: readonly { value: NodeType; label: string }[] = [
  { value: 'send_email', label: 'Send an email' },
  { value: 'wait_duration', label: 'Wait for some time' },
  { value: 'wait_until_date', label: 'Wait until a date' },
  { value: 'decision', label: 'Decide' },
  { value: 'add_tag', label: 'Add a tag' },
  { value: 'remove_tag', label: 'Remove a tag' },
  { value: 'add_audience', label: 'Subscribe to an audience' },
  { value: 'remove_audience', label: 'Unsubscribe from an audience' },
  { value: 'update_contact_field', label: 'Set a field' },
  { value: 'adjust_score', label: 'Change the score' },
  { value: 'end', label: 'End' },
]

const units = [
  { value: '86400', label: 'days' },
  { value: '3600', label: 'hours' },
  { value: '60', label: 'minutes' },
  { value: '1', label: 'seconds' },
]

/** A value of a configuration as the text of an input. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** The present value is offered, too, if the list does not have it (any more). */
export const withPresent = (
  choices: readonly StepChoice[],
  value: string,
  names: StepChoices['names'],
): readonly StepChoice[] =>
  value === '' || choices.some((one) => one.value === value)
    ? choices
    : [...choices, { value, label: `${names[value] ?? value} (as it is)` }]

/** The inputs of a step, filled with its configuration. */
export function fieldsOfStep(
  { type, config }: Pick<AutomationNode, 'type' | 'config'>,
  choices: StepChoices,
): DialogFields {
  const choice = (label: string, offered: readonly StepChoice[], value: unknown): AnyField => ({
    kind: 'choice',
    label,
    initial: textOf(value),
    choices: withPresent(offered, textOf(value), choices.names),
  })
  const unit = units.find(({ value }) => Number(config['seconds']) % Number(value) === 0) ?? units[0]!
  switch (type) {
    case 'send_email':
      return {
        content_version_id: {
          kind: 'content',
          label: 'Version of the content',
          initial: textOf(config['content_version_id']),
        },
        sender_identity_id: choice('Sender', choices.senders, config['sender_identity_id']),
      }
    case 'wait_duration':
      return {
        amount: {
          kind: 'number',
          label: 'How long',
          initial: textOf(Number(config['seconds'] ?? 86_400) / Number(unit.value)),
        },
        unit: { kind: 'choice', label: 'Unit', initial: unit.value, choices: units },
      }
    case 'wait_until_date':
      return 'field' in config
        ? { field: choice('Field with the date', choices.fields, config['field']) }
        : {
            at: {
              kind: 'text',
              label: 'Until',
              initial: textOf(config['at']),
              about: 'With an offset, such as 2027-01-31T09:00:00Z.',
            },
          }
    case 'add_tag':
    case 'remove_tag':
      return { tag: choice('Tag', choices.tags, config['tag']) }
    case 'add_audience':
      return {
        audience_id: choice('Audience', choices.audiences, config['audience_id']),
        wording_version: { kind: 'text', label: 'Wording of the consent', initial: textOf(config['wording_version']) },
        source: { kind: 'text', label: 'Source of the consent', initial: textOf(config['source']) },
      }
    case 'remove_audience':
      return { audience_id: choice('Audience', choices.audiences, config['audience_id']) }
    case 'update_contact_field':
      return {
        field: choice('Field', choices.fields, config['field']),
        value: {
          kind: 'text',
          label: 'Value',
          initial: textOf(config['value']),
          about: 'Empty clears the field.',
          isRequired: false,
        },
      }
    case 'adjust_score':
      return {
        amount: {
          kind: 'number',
          label: 'By how much',
          initial: textOf(config['amount']),
          about: 'A negative number lowers it.',
        },
      }
    case 'decision':
    case 'end':
      return {}
  }
}

/** What a typed text is as the value of a field: numbers and truths by the type of the field, empty is nothing. */
export function valueOfField(typed: string, type: string | undefined): string | number | boolean | string[] | null {
  if (typed === '') return null
  if ((type === 'integer' || type === 'decimal') && !Number.isNaN(Number(typed))) return Number(typed)
  if (type === 'boolean' && ['true', 'false'].includes(typed)) return typed === 'true'
  if (type === 'multiple_choice')
    return typed
      .replaceAll(/[[\]"]/g, '')
      .split(',')
      .map((one) => one.trim())
  return typed
}

/** The configuration that the inputs stand for. Other entries of the present one stay. */
export function configOfStep(
  { type, config }: Pick<AutomationNode, 'type' | 'config'>,
  values: Values,
  fieldTypes: StepChoices['fieldTypes'],
): AutomationNode['config'] {
  if (type === 'wait_duration') return { ...config, seconds: Number(values['amount']) * Number(values['unit']) }
  if (type === 'adjust_score') return { ...config, amount: Number(values['amount']) }
  if (type === 'update_contact_field') {
    const isUnchanged = values['field'] === config['field'] && values['value'] === textOf(config['value'])
    const value = valueOfField(textOf(values['value']), fieldTypes[textOf(values['field'])])
    return { ...config, field: values['field'], value: isUnchanged ? (config['value'] ?? null) : value }
  }
  return { ...config, ...values }
}

/** The configuration of a step that was just added. */
export const firstConfig = (type: NodeType): AutomationNode['config'] =>
  type === 'wait_duration' ? { seconds: 86_400 } : type === 'wait_until_date' ? { at: '' } : {}
