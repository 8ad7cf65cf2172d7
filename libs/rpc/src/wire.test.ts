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
/** As grpc-js gives the other side's error to a caller. */
const arrived = (error: Partial<ServiceError>) =>
  Object.assign(new Error('14 UNAVAILABLE'), { metadata: new Metadata(), ...error }) as ServiceError

test.each(codes)(
  'a Fault of the code %s arrives with its code, reason and message, whatever is written in them',
  (code) => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (reason, message) => {
        const sent = new Fault(code, reason, message)
        for (const back of [
          errorOf(failureOf(sent), 'lettergate.x'),
          fromServiceError(arrived(toServiceError(sent)), 'lettergate.x'),
        ]) {
          expect(back).toBeInstanceOf(Fault)
          expect(back).toMatchObject({ code, reason, message })
        }
      }),
    )
  },
)

test('what is no Fault says "internal error" to the other side: no message, no reason, no stack', () => {
  const secret = new Error('password of ada@example.com')
  expect(failureOf(secret)).toEqual({ code: status.INTERNAL, reason: null, message: 'internal error' })
  const told = toServiceError(secret)
  expect(told).toEqual({ code: status.INTERNAL, details: 'internal error' })
  const back = fromServiceError(arrived(told), 'lettergate.x')
  expect(back).not.toBeInstanceOf(Fault)
  expect(back.message).toBe('lettergate.x failed: internal error')
})

test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED])(
  'a call that the transport ended with status %i is unavailable, and the reason names who did not answer',
  (code) => {
    const back = fromServiceError(arrived({ code, details: 'connect ECONNREFUSED 10.0.0.1' }), 'contacts-consent')
    expect(back).toMatchObject({ code: 'unavailable', reason: 'contacts-consent' })
    expect(back.message).not.toContain('10.0.0.1')
    expect(back.cause).toBeDefined()
  },
)

test('an rpc that the other side does not have yet is unavailable, so that a newer caller may come first', () => {
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

test('every caller arrives as it was, by metadata and by frame, with nothing where there was nothing', () => {
  fc.assert(
    fc.property(callers, (caller) => {
      expect(callerFromMetadata(callMetadata(caller, {}))).toEqual(caller)
      const call = { method: 'm', request: Buffer.alloc(0), caller, trace: {}, deadline: Date.now() + 1_000 }
      expect(callerFromFrame(callToFrame(1, call).caller!)).toEqual(caller)
    }),
  )
})

test('a call that names nobody is the system’s, with a correlation id of its own and no workspace', () => {
  const [one, other] = [callerFromMetadata(new Metadata()), callerFromMetadata(new Metadata())]
  expect(one).toMatchObject({ actor: 'system:unknown', actorKind: 'system', workspaceId: null, role: null })
  expect(one.correlationId).not.toBe(other.correlationId)
})

test('the trace travels as it is, and a frame never carries a timeout below a millisecond', () => {
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=1' }
  const [caller] = fc.sample(callers, 1) as [Caller]
  expect(traceFromMetadata(callMetadata(caller, trace))).toEqual(trace)
  const frame = callToFrame(7, { method: 'm', request: Buffer.from('x'), caller, trace, deadline: Date.now() - 5_000 })
  expect(frame).toMatchObject({ id: 7, method: 'm', timeoutMs: 1, ...trace })
})
