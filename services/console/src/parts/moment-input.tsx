import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { inputOf, momentOf } from './local-time.ts'
import { localZone, useTimes } from './times.tsx'

/** An input for a time, in the zone that the user chose for all times. Its value is in UTC, or empty. */
export function MomentInput({
  label,
  value,
  onChange,
  ...input
}: Omit<TextInputProps, 'value' | 'onChange' | 'type'> & {
  label: string
  value: string
  onChange: (value: string) => void
}) {
  const { isUtc } = useTimes()
  const [typed, setTyped] = useState('')
  // While a year is typed, its first digits are a time for which a zone may have odd seconds.
  const isTyped = typed !== '' && momentOf(typed, isUtc) === value
  return (
    <TextInput
      {...input}
      type="datetime-local"
      label={`${label} (${isUtc ? 'UTC' : localZone})`}
      value={isTyped ? typed : inputOf(value, isUtc)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(momentOf(currentTarget.value, isUtc))
      }}
    />
  )
}
