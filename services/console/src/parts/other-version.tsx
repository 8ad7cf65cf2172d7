import { Select } from '@mantine/core'
import { useFilter } from './use-filter.ts'

interface Others<Version> {
  others: Version[]
  before: Version | undefined
  choose: (id: string | null) => void
}

/** The version that one is compared with: the one before it, until another is chosen. The choice is in the address. */
export function useOtherVersion<Version extends { id: string; version: number }>(
  versions: readonly Version[],
  current: { id: string; version: number },
): Others<Version> {
  const [chosen, choose] = useFilter('against')
  const others = versions.filter(({ id }) => id !== current.id)
  const before = others.find(({ id }) => id === chosen) ?? others.find((one) => one.version === current.version - 1)
  return { others, before, choose }
}

/** Chooses the version that the shown one is compared with. */
export const OtherVersion = <Version extends { id: string }>({
  others,
  before,
  choose,
  labelOf,
}: Others<Version> & { labelOf: (version: Version) => string }) => (
  <Select
    label="Compared with version"
    allowDeselect={false}
    searchable={others.length > 8}
    placeholder="Choose one"
    data={others.map((one) => ({ value: one.id, label: labelOf(one) }))}
    value={before?.id ?? null}
    onChange={choose}
    maw={420}
  />
)
