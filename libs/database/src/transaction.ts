import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Caller } from '@lettergate/service'
import type { Database, Em } from './em.ts'
import { faultOf, isDeadConnection, isRetryable } from './errors.ts'
import { atBegin } from './prepared.ts'

/** What a statement inside a transaction may want to know of why it runs. */
export interface Meaning {
  readonly caller: Caller
  readonly workspaceId: string | null
  published: boolean
}

const meanings = new WeakMap<Em, Meaning>()

/** Who stands behind an open transaction: for the outbox, which stamps events with workspace and correlation id. */
export function meaningOf(em: Em): Meaning {
  const meaning = meanings.get(em)
  if (!meaning) throw new Error('this entity manager was not opened by ctx.tx')
  return meaning
}

export interface TransactionOptions {
  caller: Caller
  /** null for a system job that looks across workspaces */
  workspaceId: string | null
  /** the job's name, when the caller is a system job */
  system: string | null
  statementTimeoutMs?: number | undefined
  isSnapshot?: boolean
  isLong?: boolean
}

const attempts = 3

/**
 * One transaction with the tenant set for row-level security. Deadlocks are tried again, and so is a connection that
 * the server ended before the commit was asked for; an outage is a Fault.
 */
export async function transaction<T>(
  db: Database,
  options: TransactionOptions,
  work: (em: Em) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const meaning: Meaning = { caller: options.caller, workspaceId: options.workspaceId, published: false }
    let isCommitting = false
    try {
      const result = await once(db.fork(options.isLong), options, async (em) => {
        meanings.set(em, meaning)
        const done = await work(em)
        await em.flush()
        isCommitting = true
        return done
      })
      if (meaning.published) db.announcePublished()
      return result
    } catch (error) {
      const isHarmless = isRetryable(error) || (!isCommitting && isDeadConnection(error))
      if (!isHarmless || attempt === attempts) throw faultOf(error)
      await sleep(10 * attempt * (1 + Math.random()))
    }
  }
}

const setTenant = (workspaceId: string, system: string) =>
  atBegin(sql`select set_config('app.workspace_id', ${workspaceId}, true), set_config('app.system', ${system}, true)`)

/**
 * Kysely's own transaction, because the controlled one that `em.transactional` stands on keeps its connection for ever
 * when the server has gone before `begin`: an outage would cost the pool its connections, one by one.
 */
async function once<T>(
  em: Em,
  { workspaceId, system, statementTimeoutMs, isSnapshot = false }: TransactionOptions,
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
        if (statementTimeoutMs !== undefined) {
          await atBegin(sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`).execute(
            context,
          )
        }
        return await work(em)
      } catch (error) {
        failure = { error }
        throw error
      }
    })
  } catch (error) {
    throw failure ? failure.error : error // on a dead connection the rollback fails too, and would hide why
  } finally {
    em.resetTransactionContext()
  }
}
