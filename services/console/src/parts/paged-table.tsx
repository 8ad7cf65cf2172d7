import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useMemo, type ReactNode } from 'react'
import { DataTable, type TableColumn } from './data-table.tsx'

/** A table of the pages that are loaded so far. */
export function PagedTable<Page, Row>({
  pages,
  rowsOf,
  isEndless = false,
  ...table
}: {
  pages: UseInfiniteQueryResult<InfiniteData<Page, string | undefined>>
  rowsOf: (page: Page) => readonly Row[]
  /** loads the next pages while the user scrolls */
  isEndless?: boolean
  label: string
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
  empty: ReactNode
}) {
  const { data, error, hasNextPage, isFetchingNextPage, isPlaceholderData, fetchNextPage, refetch } = pages
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data]) // oxlint-disable-line react-hooks/exhaustive-deps -- rowsOf never changes
  const load = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return (
    <DataTable
      {...table}
      rows={rows}
      error={error}
      onRetry={() => void refetch()}
      isOutdated={isPlaceholderData}
      more={hasNextPage && !isPlaceholderData ? { isLoading: isFetchingNextPage, load, isEndless } : undefined}
    />
  )
}
