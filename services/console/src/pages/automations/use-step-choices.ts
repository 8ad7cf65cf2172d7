import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
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
export function useStepChoices(names: Names): StepChoices {
  const { name, console } = useWorkspace()
  const sender = useSenderField()
  const audiences = useAudiences()
  const tags = useTags()
  const fields = useAnswer([name, 'fields'], (options) => console.listContactFields({}, options))
  const custom = fields.data?.field_definitions ?? []
  return {
    senders: sender.choices,
    audiences: (audiences.data?.audiences ?? [])
      .filter(({ is_archived }) => !is_archived)
      .map((audience) => ({ value: audience.id, label: audience.name })),
    tags: (tags.data?.tags ?? []).map((tag) => ({ value: tag.name, label: tag.name })),
    fields: [
      ...ofEveryContact.map(([value, label]) => ({ value, label })),
      ...custom.map((field) => ({ value: `custom.${field.field_key}`, label: field.label })),
    ],
    fieldTypes: Object.fromEntries(custom.map((field) => [`custom.${field.field_key}`, field.field_type])),
    names,
  }
}
