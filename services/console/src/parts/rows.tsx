import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode, type Ref } from 'react'

export interface TableColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
}

interface RowsProps<Row> {
  /** in a narrow box each row is a card: the title of a column stands before its cell */
  isStacked?: boolean
  rows: readonly Row[]
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
  onShow?: ((first: number, last: number) => void) | undefined
}

interface RowProps<Row> {
  isStacked: boolean
  row: Row
  columns: readonly TableColumn<Row>[]
  /** its place in a list of which only some rows are drawn */
  index?: number
  ref?: Ref<HTMLTableRowElement>
}

function DrawnRow<Row>({ row, columns, isStacked, index, ref }: RowProps<Row>) {
  // The styles of a card take the roles of a table away.
  const [ofRow, ofCell] = isStacked ? [{ role: 'row' }, { role: 'cell' }] : []
  return (
    <tr
      ref={ref}
      {...ofRow}
      className="row"
      data-index={index}
      aria-rowindex={index === undefined ? undefined : index + 2}
    >
      {columns.map(({ title, cell, isNumber }) => (
        <td
          key={title}
          {...ofCell}
          {...(isStacked ? { 'data-title': title } : {})}
          className={isNumber ? 'number' : undefined}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}
/** Drawn again only if its row changed: a list draws many while it scrolls. */
const MemoRow = memo(DrawnRow) as typeof DrawnRow

/** The body of a table. Of a long one only the rows near the window are in the page. */
export function Rows<Row>(props: RowsProps<Row>) {
  const { rows, columns, keyOf, isStacked = false } = props
  if (rows.length > 150) return <VirtualRows {...props} />
  return (
    <tbody {...(isStacked ? { role: 'rowgroup' } : {})}>
      {rows.map((row) => (
        <DrawnRow key={keyOf(row)} row={row} columns={columns} isStacked={isStacked} />
      ))}
    </tbody>
  )
}

/** Fixes the widths of the columns, so that the rows that come and go do not lay out the whole table again. Cards have none. */
function fixWidths(table: HTMLTableElement): void {
  const whole = table.offsetWidth
  if (table.style.tableLayout === 'fixed' || !table.tHead?.offsetWidth) return
  const widths = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => [cell, cell.offsetWidth] as const)
  for (const [cell, width] of widths) cell.style.width = `${(width / whole) * 100}%`
  table.style.tableLayout = 'fixed'
}

/** Before a row is measured. Rows of one line have this height (console.css). */
const rowHeight = 42

function VirtualRows<Row>({ rows, columns, keyOf, onShow, isStacked = false }: RowsProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  const getItemKey = useCallback((index: number) => keyOf(rows[index]!), [rows, keyOf])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: top,
    getItemKey,
  })
  const windowWidth = virtual.scrollRect?.width
  useLayoutEffect(() => {
    fixWidths(body.current!.closest('table')!)
    setTop(body.current!.getBoundingClientRect().top + window.scrollY)
  }, [windowWidth])
  const shown = virtual.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => onShow?.(first, last), [onShow, first, last])
  const before = (shown[0]?.start ?? top) - top
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top)
  const gap = (height: number) =>
    height > 0 && (
      <tr aria-hidden>
        <td colSpan={columns.length} style={{ height, padding: 0, border: 0 }} />
      </tr>
    )
  return (
    <tbody ref={body} {...(isStacked ? { role: 'rowgroup' } : {})}>
      {gap(before)}
      {shown.map(({ key, index }) => (
        <MemoRow
          key={key as string}
          ref={virtual.measureElement}
          row={rows[index]!}
          columns={columns}
          isStacked={isStacked}
          index={index}
        />
      ))}
      {gap(after)}
    </tbody>
  )
}
