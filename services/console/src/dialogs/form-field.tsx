import { Checkbox, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { clearButton } from '../parts/clear-button.ts'
import { MomentInput } from '../parts/moment-input.tsx'
import { ContentPicker } from './content-picker.tsx'
import type { AnyField, FieldValue } from './fields.ts'

/** One input of a form, by its kind. The first one has the focus when the form opens, if text is typed into it. */
export function FormField({
  field,
  value,
  isFirst = false,
  onChange,
}: {
  field: AnyField
  value: FieldValue
  isFirst?: boolean
  onChange: (value: FieldValue) => void
}) {
  const { kind, label, about, isRequired = true, placeholder } = field
  const shared = { label, description: about, withAsterisk: isRequired, ...(placeholder ? { placeholder } : {}) }
  const choices = [...(field.choices ?? [])]
  if (kind === 'check')
    return (
      <Checkbox
        label={label}
        description={about}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (kind === 'content') return <ContentPicker label={label} value={value as string} onChange={onChange} />
  if (kind === 'choice')
    return (
      <Select
        {...shared}
        data={choices}
        value={(value as string) || null}
        onChange={(next) => onChange(next ?? '')}
        searchable={choices.length > 8}
        clearable={!isRequired}
        clearButtonProps={clearButton(label)}
        allowDeselect={!isRequired}
      />
    )
  if (kind === 'choices')
    return <MultiSelect {...shared} data={choices} value={value as string[]} onChange={onChange} searchable />
  if (kind === 'tags')
    return (
      <TagsInput
        {...shared}
        data={choices.map((choice) => choice.value)}
        value={value as string[]}
        onChange={onChange}
      />
    )
  if (kind === 'long')
    return (
      <Textarea
        {...shared}
        data-autofocus={isFirst || undefined}
        autosize
        minRows={3}
        maxRows={12}
        value={value as string}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (kind === 'moment') return <MomentInput {...shared} value={value as string} onChange={onChange} />
  return (
    <TextInput
      {...shared}
      data-autofocus={isFirst || undefined}
      type={({ date: 'date', number: 'number', secret: 'password' } as Record<string, string>)[kind] ?? 'text'}
      {...(kind === 'number' ? { step: 'any' } : {})}
      autoComplete="off"
      value={value as string}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
