import type { Read } from '../../parts/failed-reads.tsx'
import { fieldLabelsOf } from '../../parts/field-labels.ts'
import { useAudiences, useFields, useTags } from '../../session/use-lists.ts'
import { useSenderField } from '../sending/use-sender-field.ts'
import type { Names } from './node-words.ts'
import type { StepChoices } from './step-fields.ts'

const ofEveryContact = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['company', 'Company'],
  ['country_code', 'Country'],
  ['locale', 'Language'],
  ['timezone', 'Time zone'],
  ['phone', 'Phone'],
] as const

/** What the inputs of steps offer: senders, audiences, tags and fields, and what the version uses. */
export function useStepChoices(names: Names): { reads: readonly Read[]; choices: StepChoices } {
  const sender = useSenderField()
  const audiences = useAudiences()
  const tags = useTags()
  const fields = useFields()
  const custom = fields.data?.field_definitions ?? []
  const labels = fieldLabelsOf(
    custom,
    ofEveryContact.map(([, label]) => label),
  )
  const choices = {
    senders: sender.choices,
    audiences: (audiences.data?.audiences ?? [])
      .filter(({ is_archived }) => !is_archived)
      .map((audience) => ({ value: audience.id, label: audience.name })),
    tags: (tags.data?.tags ?? []).map((tag) => ({ value: tag.name, label: tag.name })),
    fields: [
      ...ofEveryContact.map(([value, label]) => ({ value, label })),
      ...custom.map((field) => ({ value: `custom.${field.field_key}`, label: labels.get(field.field_key)! })),
    ],
    fieldTypes: Object.fromEntries(custom.map((field) => [`custom.${field.field_key}`, field.field_type])),
    names,
  }
  return { reads: [sender.read, audiences, tags, fields], choices }
}
