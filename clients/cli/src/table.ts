import { printableLine } from './printable.ts'

/** Columns of text, each as wide as its widest cell. */
export function columns(values: readonly (readonly string[])[]): string {
  const rows = values.map((row) => row.map(printableLine))
  const widths = rows.reduce<number[]>(
    (found, row) => row.map((cell, index) => Math.max(found[index] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

/** One `name  value` line for each entry; a list is joined, and what is absent is shown as a dash. */
export const fields = (values: Record<string, unknown>): string =>
  columns(Object.entries(values).map(([name, value]) => [name, textOf(value)]))

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
