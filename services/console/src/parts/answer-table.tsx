import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DataTable, type TableColumn } from './data-table.tsx'

/** A table of one answer: a list without pages. */
export function AnswerTable<Output, Row>({
  answer,
  rowsOf,
  ...table
}: {
  answer: UseQueryResult<Output>
  rowsOf: (data: Output) => readonly Row[]
  label: string
  columns: readonly TableColumn<Row>[]
  roomOf?: number
  keyOf: (row: Row) => string
  empty: ReactNode
}) {
  return (
    <DataTable
      {...table}
      rows={answer.data && rowsOf(answer.data)}
      error={answer.error}
      onRetry={() => void answer.refetch()}
    />
  )
}
