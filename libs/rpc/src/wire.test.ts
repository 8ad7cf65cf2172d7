import { Metadata, status, type ServiceError } from '@grpc/grpc-js'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Fault, httpStatusOf, type FaultCode } from '@lettergate/fault'
import type { Caller } from '@lettergate/service'
import { callToFrame, callerFromFrame } from './frames.ts'
import {
  callMetadata,
  callerFromMetadata,
  errorOf,
  failureOf,
  fromServiceError,
  toServiceError,
  traceFromMetadata,
} from './wire.ts'

const codes = Object.keys(httpStatusOf) as FaultCode[]
/** The error as grpc-js gives it to a caller. */
const receivedError = (error: Partial<ServiceError>) =>
  Object.assign(new Error('14 UNAVAILABLE'), { metadata: new Metadata(), ...error }) as ServiceError

test.each(codes)(
  'a Fault with the code %s keeps its code, its reason and its message, with any characters in them',
  (code) => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (reason, message) => {
        const sent = new Fault(code, reason, message)
        for (const back of [
          errorOf(failureOf(sent), 'lettergate.x'),
          fromServiceError(receivedError(toServiceError(sent)), 'lettergate.x'),
        ]) {
          expect(back).toBeInstanceOf(Fault)
          expect(back).toMatchObject({ code, reason, message })
        }
      }),
    )
  },
)

test('an error that is not a Fault reaches the other side as "internal error": no message, no reason, no stack', () => {
  const secret = new Error('password of ada@example.com')
  expect(failureOf(secret)).toEqual({ code: status.INTERNAL, reason: null, message: 'internal error' })
  const serviceError = toServiceError(secret)
  expect(serviceError).toEqual({ code: status.INTERNAL, details: 'internal error' })
  const back = fromServiceError(receivedError(serviceError), 'lettergate.x')
  expect(back).not.toBeInstanceOf(Fault)
  expect(back.message).toBe('lettergate.x failed: internal error')
})

test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED])(
  'a call that the transport ended with status %i is unavailable, and the reason names the service that did not answer',
  (code) => {
    const back = fromServiceError(receivedError({ code, details: 'connect ECONNREFUSED 10.0.0.1' }), 'contacts-consent')
    expect(back).toMatchObject({ code: 'unavailable', reason: 'contacts-consent' })
    expect(back.message).not.toContain('10.0.0.1')
    expect(back.cause).toBeDefined()
  },
)

test('an rpc that the other side does not implement yet is unavailable, so a caller may be deployed first', () => {
  expect(errorOf({ code: status.UNIMPLEMENTED, reason: null, message: '' }, 'x')).toMatchObject({
    code: 'unavailable',
    reason: 'unimplemented',
  })
})

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const maybe = fc.option(text)
const callers: fc.Arbitrary<Caller> = fc.record({
  workspaceId: maybe,
  organization: maybe,
  workspace: maybe,
  actor: text,
  actorKind: fc.constantFrom('human', 'agent', 'service', 'system') as fc.Arbitrary<Caller['actorKind']>,
  authMethod: maybe,
  role: maybe,
  platformRole: maybe,
  correlationId: text,
})

test('metadata and frames carry every caller unchanged, with null for absent fields', () => {
  fc.assert(
    fc.property(callers, (caller) => {
      expect(callerFromMetadata(callMetadata(caller, {}))).toEqual(caller)
      const call = { method: 'm', request: Buffer.alloc(0), caller, trace: {}, deadline: Date.now() + 1_000 }
      expect(callerFromFrame(callToFrame(1, call).caller!)).toEqual(caller)
    }),
  )
})

test('a call without an actor belongs to the system, with a new correlation id and no workspace', () => {
  const [one, other] = [callerFromMetadata(new Metadata()), callerFromMetadata(new Metadata())]
  expect(one).toMatchObject({ actor: 'system:unknown', actorKind: 'system', workspaceId: null, role: null })
  expect(one.correlationId).not.toBe(other.correlationId)
})

test('the trace is carried unchanged, and a frame never has a timeout below one millisecond', () => {
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=1' }
  const [caller] = fc.sample(callers, 1) as [Caller]
  expect(traceFromMetadata(callMetadata(caller, trace))).toEqual(trace)
  const frame = callToFrame(7, { method: 'm', request: Buffer.from('x'), caller, trace, deadline: Date.now() - 5_000 })
  expect(frame).toMatchObject({ id: 7, method: 'm', timeoutMs: 1, ...trace })
})
