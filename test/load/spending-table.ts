/** One normalised statement of a role, with the sums of its calls. */
export interface MeasuredStatement {
  role: string
  query: string
  /** planning included */
  ms: number
  planMs: number
  calls: number
  rows: number
  walBytes: number
}

export interface Spent {
  units: number
  /** of the whole server, with its background writes */
  walBytes: number
  statements: ReadonlyMap<string, MeasuredStatement>
  processorMs: ReadonlyMap<string, number>
  /** bytes by which each table grew, with its indexes; by schema and table */
  tableBytes: ReadonlyMap<string, number>
}

const shown = 15
const queryLength = 110

/** The cost as text: the statements with the longest total time, the processor time by process, and the growth by table, each as total and per unit. */
export function spendingTable(spent: Spent, { name, unit }: { name: string; unit: string }): string {
  const { units, walBytes, processorMs } = spent
  const perUnit = (amount: number, decimals = 1) => (units === 0 ? '–' : (amount / units).toFixed(decimals))
  const statements = [...spent.statements.values()].toSorted((one, other) => other.ms - one.ms)
  const sum = (of: (statement: MeasuredStatement) => number) => statements.reduce((all, each) => all + of(each), 0)
  const row = ({ role, query, ms, planMs, calls, rows, walBytes: wal }: MeasuredStatement) => [
    ms.toFixed(0),
    planMs.toFixed(0),
    String(calls),
    String(rows),
    kilobytes(wal),
    perUnit(ms * 1_000),
    perUnit(wal, 0),
    role,
    inShort(query),
  ]
  const total = {
    ms: sum(({ ms }) => ms),
    planMs: sum(({ planMs }) => planMs),
    calls: sum(({ calls }) => calls),
    rows: sum(({ rows }) => rows),
  }
  const all = row({ ...total, walBytes: sum((each) => each.walBytes), role: 'all', query: '' })
  const server = ['', '', '', '', kilobytes(walBytes), '', perUnit(walBytes, 0), 'all', 'WAL of the whole server']
  const processes = [...processorMs].filter(([, ms]) => ms >= 1).toSorted(([, one], [, other]) => other - one)
  const tables = [...spent.tableBytes]
    .filter(([, bytes]) => bytes >= 100_000)
    .toSorted(([, one], [, other]) => other - one)
  const tableTotal = [...spent.tableBytes.values()].reduce((sumBytes, bytes) => sumBytes + bytes, 0)
  const processorTotal = [...processorMs.values()].reduce((sumMs, ms) => sumMs + ms, 0)
  return [
    `${name}: cost of Lettergate, ${units} × ${unit}`,
    ...columns([
      ['ms', 'of it planning', 'calls', 'rows', 'WAL kB', `µs/${unit}`, `WAL B/${unit}`, 'role', 'statement'],
      all,
      server,
      ...statements.slice(0, shown).map(row),
    ]),
    ...columns([
      ['ms', `µs/${unit}`, 'processor time'],
      [processorTotal.toFixed(0), perUnit(processorTotal * 1_000), 'all, idle use included'],
      ...processes.map(([process, ms]) => [ms.toFixed(0), perUnit(ms * 1_000), process]),
    ]),
    ...columns([
      ['kB', `B/${unit}`, 'table, with its indexes'],
      [kilobytes(tableTotal), perUnit(tableTotal, 0), 'all'],
      ...tables.map(([table, bytes]) => [kilobytes(bytes), perUnit(bytes, 0), table]),
    ]),
  ].join('\n    ')
}

const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(0)

/** The statement on one line, cut to the maximum length. A chain of `with` begins with the names of the tables that it writes. */
function inShort(query: string): string {
  const text = query.replace(/\s+/g, ' ').trim()
  const writes = [...text.matchAll(/(?<!\bfor |\bdo )\b(insert into|update|delete from) "?([\w.]+)/gi)]
  const line = /^with /i.test(text) ? [...writes.map(([, verb, table]) => `${verb} ${table}`), text].join(': ') : text
  return line.length <= queryLength ? line : `${line.slice(0, queryLength - 1)}…`
}

/** Aligns columns of numbers, with their headers, to the right, and all others to the left. */
function columns(rows: readonly string[][]): string[] {
  const isText = rows[0]!.map((_, column) => rows.slice(1).some((row) => /^[^\d–]/.test(row[column]!)))
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => (isText[column] ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
