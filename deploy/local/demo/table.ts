/** Rows as a table for a terminal: name, what came, what was expected, and whether they are equal. */
export function table(
  title: string,
  rows: readonly { name: string; actual: unknown; expected: unknown }[],
): { text: string; mismatches: number } {
  const wrong = rows.filter((row) => row.actual !== row.expected)
  const width = Math.max(...rows.map((row) => row.name.length), title.length)
  const line = (name: string, actual: string, expected: string, mark: string) =>
    `  ${name.padEnd(width)}  ${actual.padStart(9)}  ${expected.padStart(9)}  ${mark}`
  const body = rows.map((row) =>
    line(row.name, String(row.actual), String(row.expected), row.actual === row.expected ? 'ok' : 'WRONG'),
  )
  return { text: [line(title, 'report', 'expected', ''), ...body].join('\n'), mismatches: wrong.length }
}
