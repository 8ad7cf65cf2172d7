import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { ttlCache } from './ttl-cache.ts'
import { productionGate } from './gate-state.ts'
import type { Gates } from './gates.ts'

/** Whether a run may be delivered now. A held run continues by itself when the cause is resolved. */
export type RunReadiness =
  | { kind: 'ready'; sender: SenderReadiness }
  | { kind: 'held'; by: string }
  /** something that the run needs was deleted */
  | { kind: 'gone'; reason: string }

/** A sender that may send now. */
export interface ReadySender {
  sender: SenderReadiness
  /** false once a change of the gates, the workspace, or one of its senders or domains was received */
  isCurrent: () => boolean
}

/** Checks whether a sender of a workspace may send. Throws a Fault when a required service is unavailable. */
export interface ReadinessChecks {
  /** `gate`: a platform gate that must be open in addition */
  check(
    ctx: Ctx,
    senderIdentityId: string,
    gate?: string,
  ): Promise<Exclude<RunReadiness, { kind: 'ready' }> | ({ kind: 'ready' } & ReadySender)>
  /** Clears the cached answers of these workspaces after a change, or of all. */
  drop(workspaceIds: ReadonlySet<string> | undefined): void
}

const maxAgeMs = 3_000

/** Checks gates, workspace and sender before every claim. Answers about workspace and sender are at most 3 s old. */
export function readinessChecks(ctx: Ctx, gates: Gates): ReadinessChecks {
  const workspaces = ttlCache({
    maxAgeMs,
    load: (workspaceId: string) => ctx.identity.getWorkspaceFacts(ctx, { workspaceId }),
  })
  const senders = ttlCache({
    maxAgeMs,
    load: (key: string) => {
      const [workspaceId, senderIdentityId] = key.split(' ') as [string, string]
      return ctx.sending
        .getSenderReadiness(ctx.inWorkspace(workspaceId), { senderIdentityId })
        .catch((error: unknown) => {
          if (error instanceof Fault && error.code === 'not_found') return undefined
          throw error
        })
    },
  })

  return {
    async check(scope, senderIdentityId, gate) {
      const isCurrent = ctx.changes.watch(scope.workspaceId)
      const required = gate === undefined ? [productionGate] : [gate, productionGate]
      const [areOpen, workspace, sender] = await Promise.all([
        Promise.all(required.map((name) => gates.isOpen(ctx, name))),
        workspaces.get(scope.workspaceId),
        senders.get(`${scope.workspaceId} ${senderIdentityId}`),
      ])
      const closed = required.find((_, index) => !areOpen[index])
      if (closed !== undefined) return { kind: 'held', by: closed }
      if (workspace.isArchived || !workspace.productionSendingEnabled) return { kind: 'held', by: 'workspace_sending' }
      if (!sender) return { kind: 'gone', reason: 'sender_missing' }
      const readiness = readinessOf(sender, ctx.config.credential(sender.credentialEnvKey) !== undefined)
      return readiness.kind === 'ready' ? { ...readiness, isCurrent } : readiness
    },
    drop(workspaceIds) {
      workspaces.drop(workspaceIds && ((id) => workspaceIds.has(id)))
      senders.drop(workspaceIds && ((key) => workspaceIds.has(key.split(' ')[0]!)))
    },
  }
}

/** Evaluates the state of a sender, its domain and its connection. */
export function readinessOf(sender: SenderReadiness, hasCredential: boolean): RunReadiness {
  if (!sender.isEnabled) return { kind: 'held', by: 'sender_identity' }
  if (!sender.domainIsReady || !sender.domainCheckIsCurrent) return { kind: 'held', by: 'sending_domain' }
  if (!sender.connectionIsActive || sender.connectionState !== 'verified' || !hasCredential)
    return { kind: 'held', by: 'provider_connection' }
  return { kind: 'ready', sender }
}
