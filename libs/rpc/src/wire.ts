import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { randomUUID } from 'node:crypto'
import { Fault, type FaultCode } from '@lettergate/fault'
import type { Caller } from '@lettergate/service'

const statusOf: Record<FaultCode, status> = {
  invalid_argument: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
}
const codeOf = new Map(Object.entries(statusOf).map(([code, number]) => [number, code as FaultCode]))
const reasonKey = 'lettergate-fault-reason'

/** A Fault keeps code, reason and message over the wire; anything else says "internal error" and nothing more. */
export function toServiceError(error: unknown): Partial<ServiceError> {
  if (!(error instanceof Fault)) return { code: status.INTERNAL, details: 'internal error' }
  const metadata = new Metadata()
  metadata.set(reasonKey, encodeURIComponent(error.reason))
  return { code: statusOf[error.code], details: error.message, metadata }
}

/** The Fault that the other side threw; a call that did not get through, or not in time, is `unavailable`. */
export function fromServiceError(error: ServiceError, target: string): unknown {
  const reason = error.metadata?.get(reasonKey)[0]
  const code = codeOf.get(error.code)
  if (typeof reason === 'string' && code)
    return new Fault(code, decodeURIComponent(reason), error.details, { cause: error })
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED) {
    return new Fault('unavailable', target, 'A part of the service did not answer in time. Try again in a moment.', {
      cause: error,
    })
  }
  if (error.code === status.UNIMPLEMENTED)
    return new Fault('unavailable', 'unimplemented', 'This operation is not offered yet.', { cause: error })
  return new Error(`${target} failed: ${error.details}`, { cause: error })
}

const keys = [
  'workspaceId',
  'organization',
  'workspace',
  'actor',
  'actorKind',
  'authMethod',
  'role',
  'platformRole',
  'correlationId',
] as const
const metadataKey = (key: string) => `lettergate-${key.toLowerCase()}`

export function callerToMetadata(caller: Caller): Metadata {
  const metadata = new Metadata()
  for (const key of keys) {
    const value = caller[key]
    if (value !== null) metadata.set(metadataKey(key), encodeURIComponent(value))
  }
  return metadata
}

/** Who calls. Trusted: only services reach a service's port. A call without an actor is the system's. */
export function callerFromMetadata(metadata: Metadata): Caller {
  const read = (key: (typeof keys)[number]) => {
    const value = metadata.get(metadataKey(key))[0]
    return typeof value === 'string' ? decodeURIComponent(value) : null
  }
  return {
    workspaceId: read('workspaceId'),
    organization: read('organization'),
    workspace: read('workspace'),
    actor: read('actor') ?? 'system:unknown',
    actorKind: (read('actorKind') as Caller['actorKind'] | null) ?? 'system',
    authMethod: read('authMethod'),
    role: read('role'),
    platformRole: read('platformRole'),
    correlationId: read('correlationId') ?? randomUUID(),
  }
}
