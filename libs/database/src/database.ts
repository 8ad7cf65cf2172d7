import { MikroORM } from '@mikro-orm/postgresql'
import type { EntitySchema } from '@mikro-orm/core'
import { sql } from 'kysely'
import { stopping } from '@lettergate/fault'
import type { Service } from '@lettergate/service'
import type { Database } from './em.ts'
import { warnOfLostCommits } from './durability.ts'
import { PreparingClient } from './prepared.ts'

export { sql } from 'kysely'
export { arrayOf, textsOf, uuidsOf } from './array-of.ts'
export type { Database, Em } from './em.ts'
export { contexts, type Context, type TxOptions } from './context.ts'
export { column, columns, leftJoined, listOf, nullable, type RowOf } from './column.ts'
export { kyselyOf, type Row } from './row.ts'
export { countRowsOf, type CountedTable } from './rows-of-workspace.ts'
export { statement, type Sql } from './statement.ts'
export { isCheckViolation, isUniqueViolation } from './errors.ts'
export { firstIdOf, newId, newIdInSql } from './id.ts'
export { held, lastRead, prepared, unplanned } from './prepared.ts'
export { transactionScopeOf } from './transaction.ts'

export interface DatabaseOptions {
  url: string
  /** the only schema of this service; unqualified table names refer to it */
  schema: string
  entities: readonly EntitySchema[]
  /** the maximum number of connections, default 10 */
  poolMax?: number
  /** the size of a second pool, only for transactions with `isLong` */
  longPoolMax?: number
  /**
   * The server ends a transaction whose process sends no statement for this long, so that a stopped process does not keep its
   * locks. The default is a minute, which also applies to transactions with `isLong`.
   */
  idleTransactionMs?: number
}

const statementTimeoutMs = 5_000
const lockTimeoutMs = 2_000
const idleTransactionMs = 60_000
/** Longer than most calls wait, so that a busy server refuses calls by their own deadline. */
const connectWithinMs = 15_000
const firstAttempts = 12
/** Connections cache the plans of their statements, so an idle connection stays open for a while. */
const idleConnectionMs = 60_000

/** Opens the pool and checks that the database answers. A commit waits for the disk, regardless of the server's default. */
export async function openDatabase(service: Service, options: DatabaseOptions): Promise<Database> {
  const orm = openPool(service, options, options.poolMax ?? 10)
  await connectFirst(service, orm)
  const { longPoolMax } = options
  let long: MikroORM | undefined
  const listeners: (() => void)[] = []
  let isStopped = false
  const fork = (isLong = false) => {
    // MikroORM would open the pool again, which nobody would close.
    if (isStopped) throw stopping()
    if (!isLong) return orm.em.fork({ clear: true })
    if (longPoolMax === undefined)
      throw new Error('this service has no pool for long work: set longPoolMax in openDatabase')
    long ??= openPool(service, { ...options, idleTransactionMs }, longPoolMax)
    return long.em.fork({ clear: true })
  }
  const ping = async () => void (await sql`select 1`.execute(fork().getKysely()))
  await ping()
  await warnOfLostCommits(service, fork())
  service.readiness('database', ping)
  return {
    schema: options.schema,
    fork,
    onPublished: (listener) => void listeners.push(listener),
    notifyPublished: () => {
      for (const listener of listeners) listener()
    },
    async stop() {
      isStopped = true
      await Promise.all([orm.close(true), long?.close(true)])
    },
  }
}

/** Connects, in a minute at most: a server that has just started may answer later than a pool waits for a connection. */
async function connectFirst(service: Service, orm: MikroORM): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await orm.connect()
      return
    } catch (error) {
      const isLate = error instanceof Error && error.message === 'Connection terminated due to connection timeout'
      if (!isLate || attempt === firstAttempts) throw error
      service.log.warn({ attempt }, 'the database did not answer in time; connecting again')
    }
}

/** A pool that opens connections when they are needed. */
function openPool(service: Service, options: DatabaseOptions, max: number): MikroORM {
  return new MikroORM({
    clientUrl: options.url,
    schema: options.schema,
    entities: [...options.entities],
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max, idleTimeoutMillis: idleConnectionMs },
    forceUtcTimezone: true,
    driverOptions: {
      Client: PreparingClient,
      application_name: service.name,
      options: `-c search_path=${options.schema} -c statement_timeout=${statementTimeoutMs} -c lock_timeout=${lockTimeoutMs} -c idle_in_transaction_session_timeout=${options.idleTransactionMs ?? idleTransactionMs} -c synchronous_commit=on -c timezone=UTC`,
      connectionTimeoutMillis: connectWithinMs,
    },
    logger: (message) => service.log.warn(message),
    debug: false,
  })
}
