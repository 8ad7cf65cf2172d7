import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { randomUUID } from 'node:crypto'
import { Fault, type FaultCode } from '@lettergate/fault'
import type { Caller } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'

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

/** The failure of a call, for both transports. `code` is a gRPC status. `reason` is null if the error was not a Fault. */
export interface Failure {
  code: number
  reason: string | null
  message: string
}

/** A Fault keeps its code, reason and message. Any other error becomes "internal error" without details. */
export const failureOf = (error: unknown): Failure =>
  error instanceof Fault
    ? { code: statusOf[error.code], reason: error.reason, message: error.message }
    : { code: status.INTERNAL, reason: null, message: 'internal error' }

/** The Fault that the other side threw. A call that failed in transport or timed out is `unavailable`. */
export function errorOf({ code, reason, message }: Failure, target: string, cause?: unknown): Error {
  const options = cause === undefined ? {} : { cause }
  const faultCode = codeOf.get(code)
  if (reason !== null && faultCode) return new Fault(faultCode, reason, message, options)
  if (code === status.UNAVAILABLE || code === status.DEADLINE_EXCEEDED || code === status.CANCELLED) {
    return new Fault(
      'unavailable',
      target,
      'A part of the service did not answer in time. Try again in a moment.',
      options,
    )
  }
  if (code === status.UNIMPLEMENTED)
    return new Fault(
      'unavailable',
      'unimplemented',
      'A part of the service is being upgraded. Try again in a moment.',
      options,
    )
  return new Error(`${target} failed: ${message}`, options)
}

export function toServiceError(error: unknown): Partial<ServiceError> {
  const { code, reason, message } = failureOf(error)
  if (reason === null) return { code, details: message }
  const metadata = new Metadata()
  metadata.set(reasonKey, encodeURIComponent(reason))
  return { code, details: message, metadata }
}

export function fromServiceError(error: ServiceError, target: string): Error {
  const reason = error.metadata?.get(reasonKey)[0]
  return errorOf(
    {
      code: error.code,
      reason: typeof reason === 'string' ? decodeURIComponent(reason) : null,
      message: error.details,
    },
    target,
    error,
  )
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

const traceKeys = ['traceparent', 'tracestate'] as const

/** The caller and the trace, as metadata of a separate call. */
export function callMetadata(caller: Caller, trace: Carrier): Metadata {
  const metadata = new Metadata({ waitForReady: true })
  for (const key of keys) {
    const value = caller[key]
    if (value !== null) metadata.set(metadataKey(key), encodeURIComponent(value))
  }
  for (const [key, value] of Object.entries(trace)) metadata.set(key, value)
  return metadata
}

export function traceFromMetadata(metadata: Metadata): Carrier {
  const carrier: Carrier = {}
  for (const key of traceKeys) {
    const value = metadata.get(key)[0]
    if (typeof value === 'string') carrier[key] = value
  }
  return carrier
}

/** The caller. It is trusted because the server has already checked which service calls. A call without an actor is the system's. */
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
