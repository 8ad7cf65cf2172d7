import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { SpanKind } from '@lettergate/service/tracing'
import { until } from '@lettergate/stage'
import { recordSpans, type SpanRecorder } from '@lettergate/stage/spans'
import { eventData, webhookStage, type WebhookStage } from './webhook-stage.ts'

let recorder: SpanRecorder
let world: WebhookStage
let connectionId: string

beforeAll(async () => {
  recorder = recordSpans()
  world = await webhookStage()
  connectionId = (await world.connection()).id
})
beforeEach(() => recorder.clear())
afterAll(async () => {
  await world.close()
  await recorder.stop()
})

const route = 'POST /webhooks/mailprovider/:connectionId'
const outboxTraces = () =>
  world.stage.query<{ trace: { traceparent?: string } }>(
    `select headers->'trace' as trace from webhooks.outbox order by id desc limit 1`,
  )

test('an event continues the trace of its message, with a link to the request of the provider', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const handOff = 'b7ad6b7169203331'
  const data = eventData({ 'user-variables': { traceparent: `00-${traceId}-${handOff}-01` } })
  expect((await world.deliver(connectionId, data)).status).toBe(200)
  await until(() => recorder.spans().some(({ name }) => name === 'send provider_event_received'))

  const request = recorder.span(route)
  const received = recorder.span('receive provider event')
  const sent = recorder.span('send provider_event_received')
  expect(request).toMatchObject({ kind: SpanKind.SERVER, attributes: { 'http.response.status_code': 200 } })
  expect(request.spanContext().traceId).not.toBe(traceId)
  expect(received.parentSpanContext?.spanId).toBe(handOff)
  expect(received.links.map(({ context }) => context.spanId)).toEqual([request.spanContext().spanId])
  expect([received, sent].map((span) => span.spanContext().traceId)).toEqual([traceId, traceId])
  expect(sent.parentSpanContext?.spanId).toBe(received.spanContext().spanId)
  expect((await outboxTraces())[0]?.trace.traceparent).toContain(received.spanContext().spanId)
})

test.each([
  ['none', {}],
  ['no list of variables', []],
  ['one that is not well formed', { traceparent: '00-xyz-1-01' }],
  ['one of another type', { traceparent: 7 }],
])('an event that carries %s continues the trace of its own request', async (_, variables) => {
  expect((await world.deliver(connectionId, eventData({ 'user-variables': variables }))).status).toBe(200)
  await until(() => recorder.spans().some(({ name }) => name === route))
  const request = recorder.span(route)
  expect(recorder.span('receive provider event').parentSpanContext?.spanId).toBe(request.spanContext().spanId)
})

test('a span has the route, not the id of the connection', async () => {
  await world.deliver(connectionId, eventData())
  await until(() => recorder.spans().some(({ name }) => name === route))
  expect(JSON.stringify(recorder.spans().map(({ name, attributes }) => ({ name, attributes })))).not.toContain(
    connectionId,
  )
})
