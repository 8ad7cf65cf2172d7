import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Caller } from '@lettergate/service'
import type { Database, Em } from './em.ts'
import { faultOf, isDeadConnection, isRetryable } from './errors.ts'
import { atBegin } from './prepared.ts'

/** The caller and the tenant of an open transaction, and whether it published events. */
export interface TransactionScope {
  readonly caller: Caller
  readonly workspaceId: string | null
  published: boolean
}

const scopes = new WeakMap<Em, TransactionScope>()

/** The scope of an open transaction. The outbox takes the workspace and the correlation id of events from it. */
export function transactionScopeOf(em: Em): TransactionScope {
  const scope = scopes.get(em)
  if (!scope) throw new Error('this entity manager was not opened by ctx.tx')
  return scope
}

export interface TransactionOptions {
  caller: Caller
  /** null for a system job that looks across workspaces */
  workspaceId: string | null
  /** the job's name, when the caller is a system job */
  system: string | null
  statementTimeoutMs?: number | undefined
  lockTimeoutMs?: number | undefined
  idleTransactionMs?: number | undefined
  isSnapshot?: boolean
  isLong?: boolean
}

const attempts = 3

/**
 * Runs one transaction with the tenant set for row-level security. It retries after a deadlock, and if the server ended the
 * connection before the commit was sent. An outage is a Fault.
 */
export async function transaction<T>(
  db: Database,
  options: TransactionOptions,
  work: (em: Em) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const scope: TransactionScope = { caller: options.caller, workspaceId: options.workspaceId, published: false }
    let isCommitting = false
    try {
      const result = await once(db.fork(options.isLong), options, async (em) => {
        scopes.set(em, scope)
        const done = await work(em)
        await em.flush()
        isCommitting = true
        return done
      })
      if (scope.published) db.notifyPublished()
      return result
    } catch (error) {
      const canRetry = isRetryable(error) || (!isCommitting && isDeadConnection(error))
      if (!canRetry || attempt === attempts) throw faultOf(error)
      await sleep(10 * attempt * (1 + Math.random()))
    }
  }
}

/** Runs work in a savepoint of an open transaction. Calls wait for each other, because a transaction has one connection. */
export type Nested = <T>(work: (em: Em) => Promise<T>) => Promise<T>

class RolledBack extends Error {}

/**
 * Runs one transaction that is always rolled back. First it inserts the row with which the database refuses its commit
 * (`neverCommitted`), so that no fault in this code can store anything. Events are never published.
 */
export async function rolledBack<T>(
  db: Database,
  options: TransactionOptions,
  work: (nested: Nested) => Promise<T>,
): Promise<T> {
  const scope: TransactionScope = { caller: options.caller, workspaceId: options.workspaceId, published: false }
  let done: { result: T } | undefined
  try {
    await once(db.fork(options.isLong), options, async (em) => {
      await sql`insert into never_committed (is_rolled_back) values (true)`.execute(em.getKysely())
      done = { result: await work(nestedIn(db, em, scope)) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!done || !(error instanceof RolledBack)) throw faultOf(error)
  }
  return done!.result
}

function nestedIn(db: Database, outer: Em, scope: TransactionScope): Nested {
  const context = outer.getTransactionContext<Transaction<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  const inSavepoint = async <T>(work: (em: Em) => Promise<T>): Promise<T> => {
    const em = db.fork(true)
    em.setTransactionContext(context)
    scopes.set(em, scope)
    await sql`savepoint nested`.execute(context!)
    try {
      const result = await work(em)
      await em.flush()
      await sql`release savepoint nested`.execute(context!)
      return result
    } catch (error) {
      await sql`rollback to savepoint nested`.execute(context!)
      throw faultOf(error)
    }
  }
  return (work) => {
    const next = last.then(() => inSavepoint(work))
    last = next.catch(() => undefined)
    return next
  }
}

const setTenant = (workspaceId: string, system: string) =>
  atBegin(sql`select set_config('app.workspace_id', ${workspaceId}, true), set_config('app.system', ${system}, true)`)

const settingsOf = ({ statementTimeoutMs, lockTimeoutMs, idleTransactionMs }: Partial<TransactionOptions>) =>
  Object.entries({
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
  }).filter(([, ms]) => ms !== undefined)

/**
 * Uses Kysely's own transaction. The controlled transaction of `em.transactional` never releases its connection if the server
 * ends before `begin`, so an outage would use up the connections of the pool.
 */
async function once<T>(
  em: Em,
  { workspaceId, system, isSnapshot = false, ...limits }: TransactionOptions,
  work: (em: Em) => Promise<T>,
): Promise<T> {
  const plain = em.getKysely().transaction()
  const begun = isSnapshot ? plain.setIsolationLevel('repeatable read').setAccessMode('read only') : plain
  let failure: { error: unknown } | undefined
  try {
    return await begun.execute(async (context) => {
      em.setTransactionContext(context)
      try {
        await setTenant(workspaceId ?? '', workspaceId === null ? (system ?? '') : '').execute(context)
        for (const [setting, ms] of settingsOf(limits))
          await atBegin(sql`select set_config(${setting}, ${String(ms)}, true)`).execute(context)
        return await work(em)
      } catch (error) {
        failure = { error }
        throw error
      }
    })
  } catch (error) {
    throw failure ? failure.error : error // on a dead connection the rollback fails too, and its error would hide the cause
  } finally {
    em.resetTransactionContext()
  }
}
