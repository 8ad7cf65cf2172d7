import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useMemo, type ReactNode } from 'react'
import { DataTable, type TableColumn } from './data-table.tsx'
import { fieldInWords, type FieldLabels } from './field-in-words.ts'
import { useFailure } from './failed-reads.tsx'

/** A list in pages. `see` tells which of them are in the window. */
export type Pages<Output> = UseInfiniteQueryResult<InfiniteData<Output, string | undefined>> & {
  see: (from: number, to: number) => void
}

/** A table of the pages that are loaded so far. */
export function PagedTable<Page, Row>({
  pages,
  rowsOf,
  isEndless = false,
  labels,
  ...table
}: {
  pages: Pages<Page>
  rowsOf: (page: Page) => readonly Row[]
  /** loads the next pages while the user scrolls */
  isEndless?: boolean
  /** what the page calls its filters, for a refusal that names one */
  labels?: FieldLabels
  label: string
  columns: readonly TableColumn<Row>[]
  roomOf?: number
  keyOf: (row: Row) => string
  empty: ReactNode
}) {
  const { data, hasNextPage, isFetchingNextPage, isPlaceholderData, fetchNextPage, see } = pages
  const isNextMissing = pages.isFetchNextPageError
  const missing = useFailure([pages])
  const failure =
    missing && labels ? { ...missing, inWords: (problem: string) => fieldInWords(problem, labels) } : missing
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data]) // oxlint-disable-line react-hooks/exhaustive-deps -- rowsOf never changes
  const onShow = useCallback(
    (first: number, last: number) => {
      let from = 0
      let to = 0
      let end = 0
      data?.pages.forEach((page, index) => {
        if (end <= first) from = index
        if (end <= last) to = index
        end += rowsOf(page).length
      })
      see(from, to)
    },
    [data, see], // oxlint-disable-line react-hooks/exhaustive-deps -- rowsOf never changes
  )
  const load = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return (
    <DataTable
      {...table}
      rows={rows}
      failure={isNextMissing ? { error: pages.error, isRetrying: isFetchingNextPage, onRetry: load } : failure}
      isOutdated={isPlaceholderData}
      onShow={onShow}
      // A page that failed is asked for again only by the user: the end of the list stays in the window.
      more={
        hasNextPage && !isPlaceholderData
          ? { isLoading: isFetchingNextPage, load, isEndless: isEndless && !isNextMissing }
          : undefined
      }
    />
  )
}
