import { Button, Center, Paper, Skeleton, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { Empty } from './page.tsx'

export interface TableColumn<Row> {
  title: string
  cell: (row: Row) => ReactNode
  isNumber?: boolean
}

/** Rows with a title for each column. `more` loads the next page of a list. */
export function DataTable<Row>({
  label,
  rows,
  columns,
  keyOf,
  empty,
  error,
  onRetry,
  more,
}: {
  label: string
  /** undefined while they are loading */
  rows: readonly Row[] | undefined
  columns: readonly TableColumn<Row>[]
  keyOf: (row: Row) => string
  empty: ReactNode
  error?: unknown
  onRetry?: () => void
  more?: { isLoading: boolean; load: () => void } | undefined
}) {
  if (error && rows === undefined) return <ErrorNotice error={error} {...(onRetry ? { onRetry } : {})} />
  if (rows?.length === 0) return <Paper withBorder>{typeof empty === 'string' ? <Empty title={empty} /> : empty}</Paper>
  return (
    <Paper withBorder>
      <Table.ScrollContainer minWidth={Math.min(640, columns.length * 140)} type="native">
        <Table aria-label={label} verticalSpacing="xs" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, isNumber }) => (
                <Table.Th key={title} ta={isNumber ? 'right' : 'left'}>
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows
              ? rows.map((row) => (
                  <Table.Tr key={keyOf(row)}>
                    {columns.map(({ title, cell, isNumber }) => (
                      <Table.Td key={title} ta={isNumber ? 'right' : 'left'} ff={isNumber ? 'monospace' : undefined}>
                        {cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
              : [1, 2, 3, 4].map((line) => (
                  <Table.Tr key={line} role="status" aria-label="Loading">
                    <Table.Td colSpan={columns.length}>
                      <Skeleton h={16} />
                    </Table.Td>
                  </Table.Tr>
                ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {more ? (
        <Center p="sm">
          <Button variant="default" size="sm" loading={more.isLoading} onClick={more.load}>
            Show more
          </Button>
        </Center>
      ) : (
        rows &&
        rows.length > 20 && (
          <Text c="dimmed" size="sm" ta="center" p="xs">
            These are all.
          </Text>
        )
      )}
      {Boolean(error) && <ErrorNotice error={error} {...(onRetry ? { onRetry } : {})} />}
    </Paper>
  )
}
