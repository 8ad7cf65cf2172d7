import { useCallback, useEffect } from 'react'
import { useSearchParams } from 'wouter'

/** One filter of a page, kept in its address so that it can be shared. Empty removes it. */
export function useFilter(name: string): [string, (value: string | null) => void] {
  const [search, setSearch] = useSearchParams()
  const set = useCallback(
    (value: string | null) =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before)
          if (value) after.set(name, value)
          else after.delete(name)
          return after
        },
        { replace: true },
      ),
    [name, setSearch],
  )
  return [search.get(name) ?? '', set]
}

/** A filter of which only some values are known. Another one leaves the address of the page, as if it was not set. */
export function useKnownFilter(name: string, isKnown: (value: string) => boolean): ReturnType<typeof useFilter> {
  const [kept, keep] = useFilter(name)
  const isOther = kept !== '' && !isKnown(kept)
  useEffect(() => {
    if (isOther) keep(null)
  }) // in each drawing, because another filter that leaves the address at the same time may bring this one back
  return [isOther ? '' : kept, keep]
}

/** The filters that are set in the address of the page. */
export function useFilters<const Name extends string>(...names: Name[]): Partial<Record<Name, string>> {
  const [search] = useSearchParams()
  return Object.fromEntries(names.map((name) => [name, search.get(name)]).filter(([, value]) => value)) as Partial<
    Record<Name, string>
  >
}
