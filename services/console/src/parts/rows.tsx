import { Table } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'

export interface TableColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
}

interface RowsProps<Row> {
  rows: readonly Row[]
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
}

const cellsOf = <Row,>(row: Row, columns: readonly TableColumn<Row>[]) =>
  columns.map(({ title, cell, isNumber }) => (
    <Table.Td key={title} ta={isNumber ? 'right' : 'left'} ff={isNumber ? 'monospace' : undefined}>
      {cell(row)}
    </Table.Td>
  ))

/** The body of a table. Of a long one only the rows near the window are in the page. */
export function Rows<Row>({ rows, columns, keyOf }: RowsProps<Row>) {
  if (rows.length > 150) return <VirtualRows rows={rows} columns={columns} keyOf={keyOf} />
  return (
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={keyOf(row)}>{cellsOf(row, columns)}</Table.Tr>
      ))}
    </Table.Tbody>
  )
}

function VirtualRows<Row>({ rows, columns, keyOf }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 46,
    overscan: 15,
    scrollMargin: top,
    getItemKey: (index) => keyOf(rows[index]!),
  })
  const shown = virtual.getVirtualItems()
  const before = (shown[0]?.start ?? top) - top
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top)
  const gap = (height: number) =>
    height > 0 && (
      <tr aria-hidden>
        <td colSpan={columns.length} style={{ height, padding: 0, border: 0 }} />
      </tr>
    )
  return (
    <Table.Tbody ref={body}>
      {gap(before)}
      {shown.map(({ key, index }) => (
        <Table.Tr key={key as string} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2}>
          {cellsOf(rows[index]!, columns)}
        </Table.Tr>
      ))}
      {gap(after)}
    </Table.Tbody>
  )
}
