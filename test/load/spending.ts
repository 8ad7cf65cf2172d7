import type pg from 'pg'
import type { Options } from './options.ts'
import { processorMsByName, usedBetween, type NamedProcess } from './processor-time.ts'
import { spendingTable, type Statement } from './spending-table.ts'

/** What ours spends in one measure, by statement and by process; the floor is not counted. */
export interface Spending {
  /** Runs the work and counts what is spent meanwhile; `unitsOf` says how many units were done. May be called many times. */
  during<T>(work: () => Promise<T>, unitsOf: (done: T) => number): Promise<T>
  /** Prints what was counted. */
  tell(name: string, unit: string): void
}

/** What counting needs of a bench. */
interface Counted {
  look: pg.Client
  processes: readonly NamedProcess[]
  options: Pick<Options, 'statements'>
  tell: (line: string) => void
}

/** Without BENCH_STATEMENTS nothing is read, reset or printed. */
const nothing: Spending = { during: (work) => work(), tell: () => undefined }

/** Begins to count. `more` are processes that run beside those of the stack. */
export function countSpending(
  { look, processes, tell, options }: Counted,
  more: readonly NamedProcess[] = [],
): Spending {
  if (!options.statements) return nothing
  const spent = {
    units: 0,
    walBytes: 0,
    statements: new Map<string, Statement>(),
    processorMs: new Map<string, number>(),
  }
  return {
    async during(work, unitsOf) {
      await look.query('select pg_stat_statements_reset()')
      const [walBefore, usedBefore] = [await walPosition(look), processorMsByName([...processes, ...more])]
      const done = await work()
      const used = usedBetween(usedBefore, processorMsByName([...processes, ...more]))
      for (const statement of await readStatements(look)) add(spent.statements, statement)
      for (const [name, ms] of used) spent.processorMs.set(name, (spent.processorMs.get(name) ?? 0) + ms)
      spent.walBytes += (await walPosition(look)) - walBefore
      spent.units += unitsOf(done)
      return done
    },
    tell: (name, unit) => tell(spendingTable(spent, { name, unit })),
  }
}

/** Makes the extension and fails with what to do where the server has not loaded it. */
export async function ensureStatements(look: pg.Client): Promise<void> {
  try {
    await look.query('create extension if not exists pg_stat_statements')
    await look.query('alter system set pg_stat_statements.track_planning = on')
    await look.query('select pg_reload_conf(), pg_stat_statements_reset()')
  } catch (error) {
    throw new Error(
      `BENCH_STATEMENTS=true needs the extension pg_stat_statements, and PostgreSQL says: ${(error as Error).message}. A server of yours (DATABASE_URL) needs shared_preload_libraries = 'pg_stat_statements' and the contrib package.`,
      { cause: error },
    )
  }
}

/** Statements of the services, in their database; those of this process have another role, and those of the floor another database. */
async function readStatements(look: pg.Client): Promise<Statement[]> {
  const { rows } = await look.query<Statement>(
    `select r.rolname as role, s.query, sum(s.total_exec_time + s.total_plan_time)::float8 as ms, sum(s.total_plan_time)::float8 as "planMs", sum(s.calls)::float8 as calls,
            sum(s.rows)::float8 as rows, sum(s.wal_bytes)::float8 as "walBytes"
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
      where s.dbid = (select oid from pg_database where datname = current_database()) and r.rolname <> current_user
      group by r.rolname, s.query`,
  )
  return rows
}

function add(known: Map<string, Statement>, statement: Statement): void {
  const key = `${statement.role} ${statement.query}`
  const before = known.get(key)
  if (!before) return void known.set(key, statement)
  before.ms += statement.ms
  before.planMs += statement.planMs
  before.calls += statement.calls
  before.rows += statement.rows
  before.walBytes += statement.walBytes
}

async function walPosition(look: pg.Client): Promise<number> {
  const { rows } = await look.query<{ bytes: number }>(
    `select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes`,
  )
  return rows[0]!.bytes
}
