import { randomUUID } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import { systemCaller, type CallScope, type Caller, type Logger, type Service } from '@lettergate/service'
import type { Database, Em } from './em.ts'
import { transaction } from './transaction.ts'

export interface TxOptions {
  /** for one long set-based statement, instead of the 5 s of request paths */
  statementTimeoutMs?: number
  /** every statement sees the rows of one moment, and none may write: for an answer whose parts must agree */
  isSnapshot?: boolean
  /** on connections of its own: for what may take long, so that it never takes the connections of what must not wait */
  isLong?: boolean
}

interface Scope extends CallScope {
  /** The tenant; throws when the caller has none. */
  readonly workspaceId: string
  readonly log: Logger
  now(): Date
  /**
   * One transaction, the only way to the database. It sees this workspace's rows alone; a system job without a
   * workspace sees all. Never call a network inside: the work may run again after a deadlock.
   */
  tx<T>(work: (em: Em) => Promise<T>, options?: TxOptions): Promise<T>
}

/** What an operation, consumer or job is given: who acts, the way to the database, and the service's own dependencies. */
export type Context<Deps> = Scope &
  Deps & {
    inWorkspace(workspaceId: string): Context<Deps>
    /** The same caller's, for work that goes on when the caller waits no longer. */
    withoutDeadline(): Context<Deps>
  }

/** Makes the contexts of one service: of a gRPC call, of an event, of a named job that looks across workspaces. */
export function contexts<Deps extends object>(db: Database, service: Service, deps: Deps) {
  // One shape for all contexts of a service: they are made for every call, and most of each is the same.
  const shared: Deps = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(deps))
  const now = () => service.now()

  function context(scope: CallScope, system: string | null): Context<Deps> {
    const { caller, deadline, signal } = scope
    let log: Logger | undefined
    const own: Scope & {
      __proto__: Deps
      inWorkspace(workspaceId: string): Context<Deps>
      withoutDeadline(): Context<Deps>
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
      withoutDeadline: () => context(unhurried(caller), system),
    }
    return own as unknown as Context<Deps>
  }

  const unhurried = (caller: Caller): CallScope => ({
    caller,
    deadline: Infinity,
    signal: new AbortController().signal,
  })
  return {
    ofCall: (scope: CallScope): Context<Deps> => context(scope, null),
    /** An event of a workspace acts in it; one of the platform acts as a system job. */
    ofEvent: (caller: Caller): Context<Deps> =>
      context(unhurried(caller), caller.workspaceId === null ? caller.actor : null),
    ofSystem: (job: string): Context<Deps> => context(unhurried(systemCaller(job, randomUUID())), job),
  }
}
