import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState, type ReactNode } from 'react'
import { clearButton } from './clear-button.ts'
import { MomentInput } from './moment-input.tsx'
import { useFilter, useKnownFilter } from './use-filter.ts'
import { inWords } from './words.ts'

/** The filters of a list; each is in the address of the page. */
export const Filters = ({ children }: { children: ReactNode }) => (
  <Group gap="sm" align="flex-end" role="search">
    {children}
  </Group>
)

/** A text that a list is filtered by, shortly after the last key. */
export function TextFilter({ name, label, placeholder }: { name: string; label: string; placeholder?: string }) {
  const [kept, keep] = useFilter(name)
  const [{ typed, at }, set] = useState({ typed: kept, at: kept })
  // A link, the palette or the buttons of the browser changed the address.
  if (kept !== at) set({ typed: typed.trim() === kept ? typed : kept, at: kept })
  // Keeping it would lead back to a page that the user has left in the meantime.
  const keepLater = useDebouncedCallback((value: string, page: string) => {
    if (location.pathname === page) keep(value.trim() || null)
  }, 300)
  useEffect(() => keepLater.cancel(), [kept, keepLater])
  return (
    <TextInput
      label={label}
      {...(placeholder ? { placeholder } : {})}
      type="search"
      value={typed}
      onChange={(event) => {
        set({ typed: event.currentTarget.value, at })
        keepLater(event.currentTarget.value, location.pathname)
      }}
      flex="1 1 12rem"
      maw={340}
    />
  )
}

/** One of a few values that a list is filtered by. */
export function ChoiceFilter({
  name,
  label,
  choices,
  areFixed = true,
  any = 'Any',
}: {
  name: string
  label: string
  /** undefined while they are read */
  choices: readonly (string | { value: string; label: string })[] | undefined
  /** false: they are read; the address may have another value, which is shown as it is, so that it can be cleared */
  areFixed?: boolean
  any?: string
}) {
  const data = (choices ?? []).map((choice) =>
    typeof choice === 'string' ? { value: choice, label: inWords(choice) } : choice,
  )
  const [kept, keep] = useKnownFilter(name, (wanted) => !areFixed || data.some(({ value }) => value === wanted))
  const isOther = kept !== '' && !data.some(({ value }) => value === kept)
  return (
    <Select
      label={label}
      placeholder={any}
      value={kept || null}
      onChange={keep}
      data={isOther ? [{ value: kept, label: choices === undefined ? '…' : kept }, ...data] : data}
      clearable
      searchable={data.length > 10}
      w={190}
      clearButtonProps={clearButton(label)}
    />
  )
}

/** A date alone, or a time without an offset, is no moment; the service refuses it. */
const withOffset = /T.*(Z|[+-]\d\d:\d\d)$/i

/** A time that a list is filtered by, in the zone that the user chose; the address has it in UTC. */
export function MomentFilter({ name, label }: { name: string; label: string }) {
  const [kept, keep] = useKnownFilter(name, (value) => withOffset.test(value) && !Number.isNaN(Date.parse(value)))
  return <MomentInput label={label} value={kept} onChange={keep} />
}
