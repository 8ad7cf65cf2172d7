import { Checkbox, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core'

interface FieldOf<Kind extends string, Value> {
  kind: Kind
  label: string
  about?: string
  initial?: Value
  /** default: true */
  isRequired?: boolean
  choices?: readonly { value: string; label: string }[]
  placeholder?: string
}
type TextKind = 'text' | 'long' | 'number' | 'moment' | 'secret' | 'choice'

/** An input of a form. `moment` is a time in the zone of the user, `tags` a list of free texts. */
export type AnyField = FieldOf<TextKind, string> | FieldOf<'choices' | 'tags', string[]> | FieldOf<'check', boolean>
export type DialogFields = Readonly<Record<string, AnyField>>
type FieldValue = string | string[] | boolean

/** What the inputs of a form give: texts, lists, and yes or no. */
export type FormValues<Fields extends DialogFields> = {
  -readonly [Name in keyof Fields]: Fields[Name]['kind'] extends 'choices' | 'tags'
    ? string[]
    : Fields[Name]['kind'] extends 'check'
      ? boolean
      : string
}

export const initialOf = (field: AnyField): FieldValue =>
  field.initial ?? (field.kind === 'check' ? false : field.kind === 'choices' || field.kind === 'tags' ? [] : '')

/** Whether an input is filled as far as it must be. */
export const isFilled = ({ isRequired = true }: AnyField, value: FieldValue): boolean =>
  !isRequired || (typeof value === 'boolean' ? value : value.length > 0)

/** One input of a form, by its kind. */
export function FormField({
  field,
  value,
  onChange,
}: {
  field: AnyField
  value: FieldValue
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
  if (kind === 'choice')
    return (
      <Select
        {...shared}
        data={choices}
        value={(value as string) || null}
        onChange={(next) => onChange(next ?? '')}
        searchable={choices.length > 8}
        clearable={!isRequired}
        nothingFoundMessage="Nothing found"
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
        autosize
        minRows={3}
        maxRows={12}
        value={value as string}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  return (
    <TextInput
      {...shared}
      type={
        ({ moment: 'datetime-local', number: 'number', secret: 'password' } as Record<string, string>)[kind] ?? 'text'
      }
      autoComplete="off"
      value={value as string}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
