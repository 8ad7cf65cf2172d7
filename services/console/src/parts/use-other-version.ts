import { useFilter } from './use-filter.ts'

/** The version that one is compared with: the one before it, until another is chosen. The choice is in the address. */
export function useOtherVersion<Version extends { id: string; version: number }>(
  versions: readonly Version[],
  current: { id: string; version: number },
): { others: Version[]; before: Version | undefined; choose: (id: string | null) => void } {
  const [chosen, choose] = useFilter('against')
  const others = versions.filter(({ id }) => id !== current.id)
  const before = others.find(({ id }) => id === chosen) ?? others.find((one) => one.version === current.version - 1)
  return { others, before, choose }
}
