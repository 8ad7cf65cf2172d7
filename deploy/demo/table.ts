/** One number of the demo, beside the expected one. */
export interface ReportRow {
  name: string
  actual: unknown
  expected: unknown
}

/** Rows as a table for a terminal: name, actual value, expected value, and whether they are equal. */
export function table(title: string, rows: readonly ReportRow[]): { text: string; mismatches: number } {
  const wrong = rows.filter((row) => row.actual !== row.expected)
  const width = Math.max(...rows.map((row) => row.name.length), title.length)
  const column = Math.max(
    10,
    ...rows.flatMap(({ actual, expected }) => [String(actual).length, String(expected).length]),
  )
  const line = (name: string, actual: string, expected: string, mark: string) =>
    `  ${name.padEnd(width)}  ${actual.padStart(column)}  ${expected.padStart(column)}  ${mark}`.trimEnd()
  const body = rows.map((row) =>
    line(row.name, String(row.actual), String(row.expected), row.actual === row.expected ? 'ok' : 'WRONG'),
  )
  return { text: [line(title, 'actual', 'expected', ''), ...body].join('\n'), mismatches: wrong.length }
}
