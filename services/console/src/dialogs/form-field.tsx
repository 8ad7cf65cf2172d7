import { Checkbox, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { clearButton } from '../parts/clear-button.ts'
import { MomentInput } from '../parts/moment-input.tsx'
import { ReadNotices, whileUnread } from '../parts/read-notices.tsx'
import { ContentPicker } from './content-picker.tsx'
import type { AnyField, FieldValue } from './fields.ts'

interface FormFieldProps {
  field: AnyField
  value: FieldValue
  isFirst?: boolean
  /** the service refused its value */
  isRefused?: boolean
  onChange: (value: FieldValue) => void
  /** hears text that is not yet a value of the list */
  onType?: (text: string) => void
}

/** One input of a form, by its kind, and what became of the read of its choices. The first one has the focus when the form opens, if text is typed into it. */
export const FormField = (props: FormFieldProps) => (
  <>
    {props.field.read && <ReadNotices of={[props.field.read]} />}
    <Input {...props} />
  </>
)

function Input({ field, value, isFirst = false, isRefused = false, onChange, onType = () => {} }: FormFieldProps) {
  const { kind, label, about, isRequired = true, placeholder } = field
  const shared = {
    label,
    description: about,
    withAsterisk: isRequired,
    error: isRefused,
    ...(placeholder ? { placeholder } : {}),
  }
  const choices = [...(field.choices ?? [])]
  const unread = field.read && whileUnread(field.read)
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
        {...unread}
      />
    )
  if (kind === 'choices')
    return (
      <MultiSelect {...shared} data={choices} value={value as string[]} onChange={onChange} searchable {...unread} />
    )
  if (kind === 'tags')
    return (
      <TagsInput
        {...shared}
        data={choices.map((choice) => choice.value)}
        value={value as string[]}
        onChange={onChange}
        onSearchChange={onType}
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
