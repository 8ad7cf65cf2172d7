import type pg from 'pg'
import type { BenchOptions } from './options.ts'
import { processorMsByName, usedBetween, type NamedProcess } from './processor-time.ts'
import { spendingTable, type MeasuredStatement } from './spending-table.ts'

/** The cost of Lettergate in one benchmark, by statement, process and table, without the floor. */
export interface Spending {
  /** Runs the work and adds its cost; `unitsOf` returns the number of units done. It can be called many times. */
  during<T>(work: () => Promise<T>, unitsOf: (done: T) => number): Promise<T>
  /** Prints the cost of all calls of `during`. */
  print(name: string, unit: string): void
}

/** The part of a bench that is needed to count. */
interface CountedBench {
  database: pg.Client
  processes: readonly NamedProcess[]
  options: Pick<BenchOptions, 'statements'>
  print: (line: string) => void
}

/** Without BENCH_STATEMENTS nothing is read, reset or printed. */
const nothing: Spending = { during: (work) => work(), print: () => undefined }

/** Starts with a cost of zero. `more` are processes in addition to those of the stack. */
export function countSpending(
  { database, processes, print, options }: CountedBench,
  more: readonly NamedProcess[] = [],
): Spending {
  if (!options.statements) return nothing
  const spent = {
    units: 0,
    walBytes: 0,
    statements: new Map<string, MeasuredStatement>(),
    processorMs: new Map<string, number>(),
    tableBytes: new Map<string, number>(),
  }
  return {
    async during(work, unitsOf) {
      await database.query('select pg_stat_statements_reset()')
      const sizesBefore = await readTableSizes(database)
      const [walBefore, usedBefore] = [await walPosition(database), processorMsByName([...processes, ...more])]
      const done = await work()
      const used = usedBetween(usedBefore, processorMsByName([...processes, ...more]))
      for (const statement of await readStatements(database)) add(spent.statements, statement)
      for (const [name, ms] of used) spent.processorMs.set(name, (spent.processorMs.get(name) ?? 0) + ms)
      spent.walBytes += (await walPosition(database)) - walBefore
      for (const [table, bytes] of await readTableSizes(database)) {
        const grown = bytes - (sizesBefore.get(table) ?? 0)
        if (grown > 0) spent.tableBytes.set(table, (spent.tableBytes.get(table) ?? 0) + grown)
      }
      spent.units += unitsOf(done)
      return done
    },
    print: (name, unit) => print(spendingTable(spent, { name, unit })),
  }
}

/** Creates the extension. Without it in the server it throws an error that says what to do. */
export async function ensureStatements(database: pg.Client): Promise<void> {
  try {
    await database.query('create extension if not exists pg_stat_statements')
    await database.query('alter system set pg_stat_statements.track_planning = on')
    await database.query('select pg_reload_conf(), pg_stat_statements_reset()')
  } catch (error) {
    throw new Error(
      `BENCH_STATEMENTS=true needs the extension pg_stat_statements, and PostgreSQL reports: ${(error as Error).message}. Your own server (DATABASE_URL) needs shared_preload_libraries = 'pg_stat_statements' and the contrib package.`,
      { cause: error },
    )
  }
}

/** The statements of the services: this process has another role, and the floor has another database. */
async function readStatements(database: pg.Client): Promise<MeasuredStatement[]> {
  const { rows } = await database.query<MeasuredStatement>(
    `select r.rolname as role, s.query, sum(s.total_exec_time + s.total_plan_time)::float8 as ms, sum(s.total_plan_time)::float8 as "planMs", sum(s.calls)::float8 as calls,
            sum(s.rows)::float8 as rows, sum(s.wal_bytes)::float8 as "walBytes"
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
      where s.dbid = (select oid from pg_database where datname = current_database()) and r.rolname <> current_user
      group by r.rolname, s.query`,
  )
  return rows
}

/** The bytes of each table with its indexes, by schema and table. A column that is stored apart counts for its table. */
async function readTableSizes(database: pg.Client): Promise<Map<string, number>> {
  const { rows } = await database.query<{ name: string; bytes: number }>(
    `select schemaname || '.' || relname as name, pg_total_relation_size(relid)::float8 as bytes from pg_stat_user_tables`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

function add(known: Map<string, MeasuredStatement>, statement: MeasuredStatement): void {
  const key = `${statement.role} ${statement.query}`
  const before = known.get(key)
  if (!before) return void known.set(key, statement)
  before.ms += statement.ms
  before.planMs += statement.planMs
  before.calls += statement.calls
  before.rows += statement.rows
  before.walBytes += statement.walBytes
}

async function walPosition(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`,
  )
  return rows[0]!.bytes
}
