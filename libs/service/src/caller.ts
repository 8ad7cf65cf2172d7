/** Who acts, in which workspace, under which correlation id. Made once at the edge; travels as gRPC metadata and event headers. */
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

/** A caller for work that no request started. */
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

/** What a call needs to know of where it comes from: who, until when, and whether anybody still waits. */
export interface CallScope {
  readonly caller: Caller
  /** epoch milliseconds, Infinity when nobody set one */
  readonly deadline: number
  readonly signal: AbortSignal
}
