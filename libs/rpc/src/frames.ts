import { create } from '@bufbuild/protobuf'
import {
  CallSchema,
  CallerSchema,
  Calls,
  type Call,
  type Caller as CallerFrame,
  type ExchangeRequest,
  type ExchangeResponse,
} from '@lettergate/contracts/rpc/v1/calls'
import type { Caller } from '@lettergate/service'
import type { Carrier } from '@lettergate/service/tracing'
import { definitionOf } from './definition.ts'

/** The bidirectional stream that carries the unary calls of a client to a server. */
export const exchange = definitionOf<ExchangeRequest, ExchangeResponse>(Calls.method.exchange)

/** The size limit of one message and of one part of a large reply, so that small calls wait only briefly. */
export const messageBytesMax = 64 * 1024
/** A larger request is a separate gRPC call. */
export const requestBytesMax = 64 * 1024
/** The limit is the same for every message between services. */
export const replyBytesMax = 16 * 1024 * 1024
/** Calls in progress on one stream. More calls wait in the client, each until its own deadline. */
export const runningMax = 512
/** The approximate size of a frame without its payload. */
export const frameBytes = 400
/** Node runs a timer that is set to more after 1 ms. */
export const longestTimerMs = 2 ** 31 - 1

function callerToFrame(caller: Caller): CallerFrame {
  const frame = create(CallerSchema)
  frame.actor = caller.actor
  frame.actorKind = caller.actorKind
  frame.correlationId = caller.correlationId
  if (caller.workspaceId !== null) frame.workspaceId = caller.workspaceId
  if (caller.organization !== null) frame.organization = caller.organization
  if (caller.workspace !== null) frame.workspace = caller.workspace
  if (caller.authMethod !== null) frame.authMethod = caller.authMethod
  if (caller.role !== null) frame.role = caller.role
  if (caller.platformRole !== null) frame.platformRole = caller.platformRole
  return frame
}

/** Trusted like metadata: the server has already checked which service makes the call. */
export const callerFromFrame = (frame: CallerFrame): Caller => ({
  workspaceId: frame.workspaceId ?? null,
  organization: frame.organization ?? null,
  workspace: frame.workspace ?? null,
  actor: frame.actor,
  actorKind: frame.actorKind as Caller['actorKind'],
  authMethod: frame.authMethod ?? null,
  role: frame.role ?? null,
  platformRole: frame.platformRole ?? null,
  correlationId: frame.correlationId,
})

export interface CallContent {
  /** `lettergate.<area>.v1.<Service>/<Rpc>` */
  readonly method: string
  readonly request: Buffer
  readonly caller: Caller
  readonly trace: Carrier
  /** epoch milliseconds */
  readonly deadline: number
}

export function callToFrame(id: number, { method, request, caller, trace, deadline }: CallContent): Call {
  const frame = create(CallSchema)
  frame.id = id
  frame.method = method
  frame.request = request
  frame.timeoutMs = Math.max(1, Math.ceil(deadline - Date.now()))
  frame.caller = callerToFrame(caller)
  if (trace.traceparent) frame.traceparent = trace.traceparent
  if (trace.tracestate) frame.tracestate = trace.tracestate
  return frame
}
