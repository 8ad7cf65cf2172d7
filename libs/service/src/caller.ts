/** The actor of a call, its workspace and its correlation id. Made once at the edge; sent as gRPC metadata and event headers. */
export interface Caller {
  readonly workspaceId: string | null
  /** slugs */
  readonly organization: string | null
  readonly workspace: string | null
  /** the wallet_user_id, or 'recipient', 'provider', 'system:<job>' */
  readonly actor: string
  readonly actorKind: 'human' | 'agent' | 'service' | 'source' | 'recipient' | 'provider' | 'system'
  /** bearer, session, service or source */
  readonly authMethod: string | null
  readonly role: string | null
  readonly platformRole: string | null
  readonly correlationId: string
}

/** A caller for work that was not started by a request. */
export const systemCaller = (job: string, correlationId: string): Caller => ({
  workspaceId: null,
  organization: null,
  workspace: null,
  actor: `system:${job}`,
  actorKind: 'system',
  authMethod: null,
  role: null,
  platformRole: null,
  correlationId,
})

/** The scope of a call: its caller, its deadline, and a signal that aborts when the caller gives up. */
export interface CallScope {
  readonly caller: Caller
  /** epoch milliseconds, Infinity without a deadline */
  readonly deadline: number
  readonly signal: AbortSignal
}
