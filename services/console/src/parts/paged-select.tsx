import { Loader, Select, type SelectProps } from '@mantine/core'
import { useEffect, type UIEvent } from 'react'
import { NoChoice } from './no-choice.tsx'
import type { Pages } from './paged-table.tsx'

/** Chooses one row of a list in pages. The next page is read when the end of the list is in sight. */
export function PagedSelect<Page>({
  pages,
  optionsOf,
  chosen,
  empty,
  ...select
}: {
  /** null: there is no list to choose from yet */
  pages: Pages<Page> | null
  optionsOf: (page: Page) => readonly { value: string; label: string; disabled?: boolean }[]
  /** stays visible before its page is read */
  chosen: { value: string; label: string } | null
  /** said in place of options */
  empty: string
} & Omit<SelectProps, 'data' | 'value' | 'disabled' | 'nothingFoundMessage' | 'filter'>) {
  const listed = pages?.data?.pages.flatMap(optionsOf) ?? []
  const isSearching = Boolean(select.searchValue) && select.searchValue !== chosen?.label
  const isMissing = chosen !== null && !isSearching && !listed.some(({ value }) => value === chosen.value)
  const isLoading = pages?.isFetching === true
  // No key moves in a list of which nothing can be chosen, so its end never comes in sight.
  const hasNoChoice = listed.length > 0 && listed.every(({ disabled }) => disabled)
  useEffect(() => {
    if (hasNoChoice && pages?.hasNextPage && !pages.isFetchingNextPage && !pages.error) void pages.fetchNextPage()
  })
  const loadAtEnd = ({ target }: UIEvent) => {
    const { role, scrollTop, clientHeight, scrollHeight } = target as Element
    // One page of the list ahead, because the arrow keys do not scroll to the edge below the last option.
    if (role !== 'listbox' || scrollTop + 2 * clientHeight < scrollHeight) return
    if (pages?.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage()
  }
  return (
    <div style={{ minWidth: 200 }} onScrollCapture={loadAtEnd}>
      <Select
        {...select}
        withAsterisk
        allowDeselect={false}
        disabled={pages === null}
        data={isMissing ? [chosen, ...listed] : listed}
        value={chosen?.value ?? null}
        // the service searches
        filter={({ options }) => options}
        nothingFoundMessage={
          <NoChoice>{isLoading ? 'Loading' : pages?.error ? 'The list could not be read' : empty}</NoChoice>
        }
        {...(isLoading ? { rightSection: <Loader size="xs" aria-hidden /> } : {})}
      />
    </div>
  )
}
