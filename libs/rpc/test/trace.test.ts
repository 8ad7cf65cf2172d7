import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import { createService, systemCaller, type CallScope, type Service } from '@lettergate/service'
import { carrier, traced } from '@lettergate/service/tracing'
import { until } from '@lettergate/stage'
import { linesOf } from '@lettergate/stage/log-lines'
import { recordSpans, type SpanRecorder } from '@lettergate/stage/spans'
import { connect, serveRpc, type Client, type Operations } from '../src/rpc.ts'

let recorder: SpanRecorder
let service: Service
let client: Client<typeof ContactsConsent>
let inside: Record<string, string>[] = []

const lookup = 'lettergate.contacts.v1.ContactsConsent/LookupContact'
const stream = 'lettergate.contacts.v1.ContactsConsent/StreamAudienceVerdicts'
const operations = {
  lookupContact: async (_ctx: CallScope, request: { email: string }) => {
    inside.push(carrier())
    if (request.email === 'gone') throw new Fault('not_found', 'contact', 'There is no such contact.')
    if (request.email === 'down') throw new Fault('unavailable', 'database', 'Try again.')
    if (request.email === 'bug') throw new TypeError('insert into contacts values (ada@example.test)')
    return {}
  },
  async *streamAudienceVerdicts() {
    for (let batch = 0; batch < 3; batch += 1) {
      inside.push(carrier())
      yield { verdicts: [{ contactId: String(batch) }] }
    }
  },
} as unknown as Operations<typeof ContactsConsent, CallScope>
const scope: CallScope = {
  caller: systemCaller('test', 'corr-12345678'),
  deadline: Infinity,
  signal: new AbortController().signal,
}

beforeAll(async () => {
  recorder = recordSpans()
  service = createService('test', { logLevel: 'silent' })
  const server = await service.use(
    serveRpc(service, { port: 0, rpc: ContactsConsent, operations, ctxOf: (call) => call }),
  )
  client = await service.use(connect(service, `127.0.0.1:${server.port}`, ContactsConsent, { timeoutMs: 5_000 }))
})
beforeEach(() => {
  recorder.clear()
  inside = []
})
afterAll(async () => {
  await service.stop()
  await recorder.stop()
})

const kinds = (name: string) =>
  recorder
    .spans()
    .filter((span) => span.name === name)
    .map((span) => SpanKind[span.kind])
    .toSorted()
const both = async (name: string) => {
  await until(() => kinds(name).join() === 'CLIENT,SERVER', { what: 'a client and a server span' })
  const [first, second] = recorder.spans().filter((span) => span.name === name)
  return first!.kind === SpanKind.CLIENT ? { client: first!, server: second! } : { client: second!, server: first! }
}

test('a call continues the trace of its caller on the other side, down to the operation', async () => {
  await traced('work', {}, () => client.lookupContact(scope, { email: 'a' }))
  const call = await both(lookup)
  const work = recorder.span('work')
  expect(call.client.parentSpanContext?.spanId).toBe(work.spanContext().spanId)
  expect(call.server.parentSpanContext?.spanId).toBe(call.client.spanContext().spanId)
  expect(inside).toEqual([{ traceparent: `00-${work.spanContext().traceId}-${call.server.spanContext().spanId}-01` }])
  expect(call.server.attributes).toEqual({
    'rpc.system.name': 'grpc',
    'rpc.method': lookup,
  })
  expect(call.client.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'server.port': expect.any(Number) })
})

test('a stream is one span on each side, also if its reader stops early', async () => {
  await traced('work', {}, async () => {
    for await (const _ of client.streamAudienceVerdicts(scope, {})) break
  })
  const call = await both(stream)
  expect(call.server.parentSpanContext?.spanId).toBe(call.client.spanContext().spanId)
  expect(call.client.status.code).toBe(SpanStatusCode.UNSET)
  expect(inside[0]!.traceparent).toContain(call.server.spanContext().spanId)
})

test('a call without a trace starts no trace', async () => {
  await client.lookupContact(scope, { email: 'a' })
  for await (const _ of client.streamAudienceVerdicts(scope, {}));
  expect(inside).toEqual([{}, {}, {}, {}])
  expect(recorder.spans()).toEqual([])
})

test.each([
  ['gone', SpanStatusCode.UNSET, 'not_found', 'There is no such contact.'],
  ['down', SpanStatusCode.ERROR, 'unavailable', 'Try again.'],
])(
  'a refusal is an error of the client span, and of the server span only if the server could not answer: %s',
  async (email, status, type, message) => {
    await expect(traced('work', {}, () => client.lookupContact(scope, { email }))).rejects.toThrow()
    const call = await both(lookup)
    expect(call.server.status.code).toBe(status)
    expect(call.server.attributes['error.type']).toBe(type)
    expect(call.client.status).toEqual({ code: SpanStatusCode.ERROR, message })
  },
)

test.each([
  ['bug', 50, 'an operation failed'],
  ['down', 40, 'an operation could not be carried out'],
])('the log line of a call that failed has its trace, its request and its workspace: %s', async (email, level, msg) => {
  const caller = { ...scope.caller, workspaceId: '0197a000-0000-7000-8000-000000000001' }
  const lines = linesOf(service)
  await expect(traced('work', {}, () => client.lookupContact({ ...scope, caller }, { email }))).rejects.toThrow()
  const { server } = await both(lookup)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level,
      msg,
      trace_id: server.spanContext().traceId,
      span_id: server.spanContext().spanId,
      correlation_id: 'corr-12345678',
      workspace_id: caller.workspaceId,
    }),
  ])
  expect(lines.join()).not.toContain('ada@')
})

test('the message of an unexpected error is not in the trace', async () => {
  await expect(traced('work', {}, () => client.lookupContact(scope, { email: 'bug' }))).rejects.toThrow()
  const call = await both(lookup)
  expect(call.server).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    events: [],
    attributes: { 'error.type': 'TypeError' },
  })
  expect(
    JSON.stringify(
      recorder.spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    ),
  ).not.toContain('ada@')
})

test('the time of a call leads to its trace if that is exported, and to no trace otherwise', async () => {
  const exemplars = async () =>
    (await service.metrics.metrics()).split('\n').filter((line) => line.includes('# {trace_id='))
  const unsampled = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` }
  await traced('work', { parent: unsampled }, () => client.lookupContact(scope, { email: 'a' }))
  expect((await exemplars()).join()).not.toContain('a'.repeat(32))
  await traced('work', {}, () => client.lookupContact(scope, { email: 'a' }))
  const { traceId } = (await both(lookup)).server.spanContext()
  expect((await exemplars()).filter((line) => line.includes(traceId))).toEqual([
    expect.stringMatching(/^lettergate_rpc_server_seconds_bucket\{.*method="LookupContact".*outcome="ok"/),
  ])
})
