import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DataTable, type TableColumn } from './data-table.tsx'
import { useFailure } from './failed-reads.tsx'

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
  const failure = useFailure([answer])
  return <DataTable {...table} rows={answer.data && rowsOf(answer.data)} failure={failure} />
}
