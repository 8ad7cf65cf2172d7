import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DataTable, type TableColumn } from './data-table.tsx'

/** A table of the pages that are loaded so far. */
export function PagedTable<Page, Row>({
  pages,
  rowsOf,
  ...table
}: {
  pages: UseInfiniteQueryResult<InfiniteData<Page, string | undefined>>
  rowsOf: (page: Page) => readonly Row[]
  label: string
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
  empty: ReactNode
}) {
  return (
    <DataTable
      {...table}
      rows={pages.data?.pages.flatMap(rowsOf)}
      error={pages.error}
      onRetry={() => void pages.refetch()}
      more={
        pages.hasNextPage ? { isLoading: pages.isFetchingNextPage, load: () => void pages.fetchNextPage() } : undefined
      }
    />
  )
}
