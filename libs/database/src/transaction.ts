import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Caller } from '@lettergate/service'
import type { Database, Em } from './database.ts'
import { faultOf, isRetryable } from './errors.ts'

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
}

const snapshot = { isolationLevel: 'repeatable read', readOnly: true } as const

const attempts = 3

/** One transaction with the tenant set for row-level security. Deadlocks are tried again; an outage is a Fault. */
export async function transaction<T>(
  db: Database,
  options: TransactionOptions,
  work: (em: Em) => Promise<T>,
): Promise<T> {
  const { caller, workspaceId, system, statementTimeoutMs, isSnapshot = false } = options
  for (let attempt = 1; ; attempt += 1) {
    const meaning: Meaning = { caller, workspaceId, published: false }
    try {
      const result = await db.fork().transactional(
        async (em) => {
          meanings.set(em, meaning)
          await sql`select set_config('app.workspace_id', ${workspaceId ?? ''}, true), set_config('app.system', ${workspaceId === null ? (system ?? '') : ''}, true)`.execute(
            em.getKysely(),
          )
          if (statementTimeoutMs !== undefined) {
            await sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`.execute(
              em.getKysely(),
            )
          }
          return work(em)
        },
        isSnapshot ? snapshot : {},
      )
      if (meaning.published) db.announcePublished()
      return result
    } catch (error) {
      if (!isRetryable(error) || attempt === attempts) throw faultOf(error)
      await sleep(10 * attempt * (1 + Math.random()))
    }
  }
}
