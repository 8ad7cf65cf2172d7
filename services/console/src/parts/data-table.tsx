import { Button, Center, Paper, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect, type ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import type { ReadFailure } from './failed-reads.tsx'
import { Empty, LateAnswer } from './page.tsx'
import { Rows, type TableColumn } from './rows.tsx'

export type { TableColumn } from './rows.tsx'

interface NextPage {
  isLoading: boolean
  load: () => void
  /** loads while the user scrolls */
  isEndless: boolean
}

function More({ isLoading, load, isEndless }: NextPage) {
  const { ref, entry } = useIntersection({ rootMargin: '800px' })
  const isNear = isEndless && entry?.isIntersecting === true
  useEffect(() => {
    if (isNear && !isLoading) load()
  }, [isNear, isLoading, load])
  return (
    <Center p="sm" ref={ref}>
      <Button variant="default" size="sm" loading={isLoading} onClick={load}>
        Show more
      </Button>
    </Center>
  )
}

/** Rows with a title for each column. `more` loads the next page of a list. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  roomOf = columns.length,
  keyOf,
  empty,
  failure,
  isOutdated = false,
  onShow,
  more,
}: {
  label: string
  /** undefined while they are loading */
  rows: readonly Row[] | undefined
  columns: readonly TableColumn<Row>[]
  /** for a table with short cells: it has room where another one with so many columns has (console.css) */
  roomOf?: number
  keyOf: (row: Row) => string
  empty: ReactNode
  /** of the first rows, or of the next page; a toast says that the rows could not be read again */
  failure?: ReadFailure | null
  /** the rows of other filters, until the answer arrives */
  isOutdated?: boolean
  /** hears which rows of a long list are near the window */
  onShow?: (first: number, last: number) => void
  more?: NextPage | undefined
}) {
  // There is always room for two columns. In a box too narrow for more (console.css), each row is a card, so that its buttons are in sight.
  const isStacked = columns.length > 2
  if (failure && rows === undefined) return <ErrorNotice {...failure} />
  if (rows?.length === 0) return <Paper withBorder>{typeof empty === 'string' ? <Empty title={empty} /> : empty}</Paper>
  const isLoading = rows === undefined
  // The styles of cards take the roles of a table away.
  const [ofTable, ofBody, ofRow, ofCell] = isStacked
    ? [{ role: 'table', className: 'stacked' }, { role: 'rowgroup' }, { role: 'row' }, { role: 'cell' }]
    : []
  return (
    <Paper withBorder pos="relative">
      {isLoading && (
        <div role="status" aria-label="Loading">
          <VisuallyHidden>Loading</VisuallyHidden>
          <LateAnswer />
        </div>
      )}
      <Table.ScrollContainer
        className="table-box"
        data-columns={roomOf}
        minWidth={isStacked ? 0 : 280}
        type="native"
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        <Table
          {...ofTable}
          aria-label={label}
          aria-rowcount={more ? -1 : rows ? rows.length + 1 : undefined}
          aria-busy={isOutdated || isLoading}
          verticalSpacing="xs"
          highlightOnHover
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, isNumber }) => (
                <Table.Th key={title} className={isNumber ? 'number' : ''}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          {rows ? (
            <Rows rows={rows} columns={columns} keyOf={keyOf} onShow={onShow} isStacked={isStacked} />
          ) : (
            <Table.Tbody {...ofBody}>
              {[1, 2, 3, 4].map((line) => (
                <Table.Tr key={line} {...ofRow}>
                  <Table.Td {...ofCell} colSpan={columns.length}>
                    <Skeleton h={16} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          )}
        </Table>
      </Table.ScrollContainer>
      {more ? (
        <More {...more} />
      ) : (
        rows &&
        rows.length > 20 && (
          <Text c="dimmed" size="sm" ta="center" p="xs">
            These are all.
          </Text>
        )
      )}
      {more && failure && <ErrorNotice {...failure} />}
    </Paper>
  )
}
