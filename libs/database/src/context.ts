import { randomUUID } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import { systemCaller, type CallScope, type Caller, type Logger, type Service } from '@lettergate/service'
import type { Database, Em } from './em.ts'
import { rolledBack, transaction, type Nested } from './transaction.ts'

export interface TxOptions {
  /** for one long set-based statement; the default is 5 s */
  statementTimeoutMs?: number
  /** how long a statement waits for a lock; the default is 2 s */
  lockTimeoutMs?: number
  /** a read-only snapshot, for an answer that needs several consistent statements */
  isSnapshot?: boolean
  /** uses a separate pool for long work, so that short transactions always find a connection */
  isLong?: boolean
}

interface Scope extends CallScope {
  /** The tenant. Throws if the caller has none. */
  readonly workspaceId: string
  readonly log: Logger
  now(): Date
  /**
   * Runs one transaction. This is the only access to the database. It sees only rows of this workspace; a system job without
   * a workspace sees all rows. Make no network calls inside: the work may run again after a deadlock.
   */
  tx<T>(work: (em: Em) => Promise<T>, options?: TxOptions): Promise<T>
}

/** The first argument of an operation, consumer or job: the caller, the database access and the service's dependencies. */
export type Context<Deps> = Scope &
  Deps & {
    inWorkspace(workspaceId: string): Context<Deps>
    /** The context of the same caller without its deadline, for work that continues after the caller stops waiting. */
    withoutDeadline(): Context<Deps>
    /**
     * Runs work in one transaction that is always rolled back, under the tenant `workspaceId`, which may be an id that no
     * workspace has. Each `tx` of the context that the work gets is a savepoint of it, so the work sees what it wrote and
     * nobody else does. This context has no other workspace. The schema needs `neverCommitted`.
     */
    rolledBack<T>(workspaceId: string, work: (inside: Context<Deps>) => Promise<T>): Promise<T>
  }

/** It locks no row that anybody else knows, so it may wait: only for a lock of a whole table. */
const rolledBackLimits = { statementTimeoutMs: 60_000, lockTimeoutMs: 30_000, idleTransactionMs: 60_000, isLong: true }

/** Leads nowhere out of the transaction. */
const insideOf = <Own extends { workspaceId: string }>(own: Own, tx: Nested) => ({
  tx,
  inWorkspace(workspaceId: string): Own {
    if (workspaceId === own.workspaceId) return own
    throw new Error('a transaction that is rolled back has one workspace')
  },
  withoutDeadline: () => own,
  rolledBack(): never {
    throw new Error('a transaction that is rolled back has none inside')
  },
})

/** Creates the contexts of one service: for a gRPC call, for an event, and for a named job across workspaces. */
export function contexts<Deps extends object>(db: Database, service: Service, deps: Deps) {
  // All contexts of a service share one prototype, because a context is created for every call.
  const shared: Deps = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(deps))
  const now = () => service.now()

  function context(scope: CallScope, system: string | null): Context<Deps> {
    const { caller, deadline, signal } = scope
    let log: Logger | undefined
    const own: Scope & {
      __proto__: Deps
      inWorkspace(workspaceId: string): Context<Deps>
      withoutDeadline(): Context<Deps>
      rolledBack<T>(workspaceId: string, work: (inside: Context<Deps>) => Promise<T>): Promise<T>
    } = {
      __proto__: shared,
      caller,
      deadline,
      signal,
      get workspaceId() {
        if (caller.workspaceId === null) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
        return caller.workspaceId
      },
      get log() {
        return (log ??= service.log.child({ correlation_id: caller.correlationId, workspace_id: caller.workspaceId }))
      },
      now,
      tx: (work, options) => {
        if (caller.workspaceId === null && system === null)
          throw new Fault('not_found', 'workspace', 'There is no such workspace.')
        return transaction(db, { caller, workspaceId: caller.workspaceId, system, ...options }, work)
      },
      inWorkspace: (workspaceId) => context({ caller: { ...caller, workspaceId }, deadline, signal }, null),
      withoutDeadline: () => context(scopeWithoutDeadline(caller), system),
      rolledBack: (workspaceId, work) => {
        const options = { caller: { ...caller, workspaceId }, workspaceId, system: null, ...rolledBackLimits }
        return rolledBack(db, options, (nested) => {
          const inside = context({ caller: options.caller, deadline, signal }, null)
          return work(Object.assign(inside, insideOf(inside, nested)))
        })
      },
    }
    return own as unknown as Context<Deps>
  }

  const scopeWithoutDeadline = (caller: Caller): CallScope => ({
    caller,
    deadline: Infinity,
    signal: new AbortController().signal,
  })
  return {
    ofCall: (scope: CallScope): Context<Deps> => context(scope, null),
    /** An event of a workspace runs in this workspace. An event of the platform runs as a system job. */
    ofEvent: (caller: Caller): Context<Deps> =>
      context(scopeWithoutDeadline(caller), caller.workspaceId === null ? caller.actor : null),
    ofSystem: (job: string): Context<Deps> => context(scopeWithoutDeadline(systemCaller(job, randomUUID())), job),
  }
}
