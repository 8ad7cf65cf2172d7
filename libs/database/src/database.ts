import { MikroORM } from '@mikro-orm/postgresql'
import type { EntitySchema } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { Service } from '@lettergate/service'
import type { Database } from './em.ts'
import { warnOfLostCommits } from './durability.ts'
import { PreparingClient } from './prepared.ts'

export { sql } from 'kysely'
export { arrayOf } from './array-of.ts'
export type { Database, Em } from './em.ts'
export { contexts, type Context, type TxOptions } from './context.ts'
export { execute, row, rows } from './query.ts'
export { column, columns, leftJoined, listOf, nullable, type RowOf } from './column.ts'
export { kyselyOf, type Row } from './row.ts'
export { statement } from './statement.ts'
export { isCheckViolation, isUniqueViolation } from './errors.ts'
export { newId } from './id.ts'
export { held, prepared, unplanned } from './prepared.ts'
export { meaningOf } from './transaction.ts'

export interface DatabaseOptions {
  url: string
  /** the one schema this service may touch; unqualified table names mean it */
  schema: string
  entities: readonly EntitySchema[]
  /** connections, default 10 */
  poolMax?: number
  /** more connections, for transactions that are marked `isLong` and no others */
  longPoolMax?: number
}

const statementTimeoutMs = 5_000
const lockTimeoutMs = 2_000
/** Connections keep the plans of their statements, so one that was idle for seconds is not ended yet. */
const idleConnectionMs = 60_000

/** Opens the pool and proves that the database answers. A commit is done when it is on the disk, whatever the server's default is. */
export async function openDatabase(service: Service, options: DatabaseOptions): Promise<Database> {
  const orm = openPool(service, options, options.poolMax ?? 10)
  await orm.connect()
  const long = options.longPoolMax === undefined ? undefined : openPool(service, options, options.longPoolMax)
  await long?.connect()
  const listeners: (() => void)[] = []
  const fork = (isLong = false) => {
    if (!isLong) return orm.em.fork({ clear: true })
    if (!long) throw new Error('this service keeps no connections for long work: give openDatabase a longPoolMax')
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
    announcePublished: () => {
      for (const listener of listeners) listener()
    },
    async stop() {
      await Promise.all([orm.close(true), long?.close(true)])
    },
  }
}

/** At most so many connections, opened when they are needed. */
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
      options: `-c search_path=${options.schema} -c statement_timeout=${statementTimeoutMs} -c lock_timeout=${lockTimeoutMs} -c idle_in_transaction_session_timeout=60000 -c synchronous_commit=on -c timezone=UTC`,
      connectionTimeoutMillis: 5_000,
    },
    logger: (message) => service.log.warn(message),
    debug: false,
  })
}
