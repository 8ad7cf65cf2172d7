import type { Read } from '../parts/failed-reads.tsx'

interface FieldOf<Kind extends string, Value> {
  kind: Kind
  label: string
  about?: string
  initial?: Value
  /** default: true */
  isRequired?: boolean
  /** whether it is asked for, by the other inputs; default: always */
  isAsked?: (values: Readonly<Record<string, FieldValue>>) => boolean
  choices?: readonly { value: string; label: string }[]
  /** gives the choices */
  read?: Read
  placeholder?: string
}
type TextKind = 'text' | 'long' | 'number' | 'moment' | 'date' | 'secret' | 'choice' | 'content'

/** An input of a form. `moment` is a time, whose value is in UTC, `tags` a list of free texts, `content` the id of a content version. */
export type AnyField = FieldOf<TextKind, string> | FieldOf<'choices' | 'tags', string[]> | FieldOf<'check', boolean>
export type DialogFields = Readonly<Record<string, AnyField>>
export type FieldValue = string | string[] | boolean

/** What the inputs of a form give: texts, lists, and yes or no. */
export type FormValues<Fields extends DialogFields> = {
  -readonly [Name in keyof Fields]: Fields[Name]['kind'] extends 'choices' | 'tags'
    ? string[]
    : Fields[Name]['kind'] extends 'check'
      ? boolean
      : string
}

/** The values of changed inputs for a change of the API: null clears what an emptied input had. */
export const orNull = <Values extends object>(changed: Values) =>
  Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value === '' ? null : value])) as {
    [Name in keyof Values]: Values[Name] | null
  }

export const initialOf = (field: AnyField): FieldValue =>
  field.initial ?? (field.kind === 'check' ? false : field.kind === 'choices' || field.kind === 'tags' ? [] : '')

/** Whether an input is filled as far as it must be. */
export const isFilled = ({ isRequired = true }: AnyField, value: FieldValue): boolean =>
  !isRequired || (typeof value === 'boolean' ? value : value.length > 0)
