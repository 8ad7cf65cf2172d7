import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomBytes } from 'node:crypto'
import { SpanKind } from '@lettergate/service/tracing'
import { until } from '@lettergate/stage'
import { recordSpans, type SpanRecorder } from '@lettergate/stage/spans'
import { openAutomationEmails, type AutomationStage } from './automation-stage.ts'

let recorder: SpanRecorder
let rig: AutomationStage
beforeAll(async () => {
  recorder = recordSpans()
  rig = await openAutomationEmails()
})
beforeEach(() => recorder.clear())
afterAll(async () => {
  await rig.close()
  await recorder.stop()
})

/** The span of a step, in a trace of its own. */
function stepTrace() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` }
}
const traceparentTo = async (address: string) => (await rig.messagesTo(address))[0]!.variables['traceparent']
const spansOf = (traceId: string, name: string) =>
  recorder.spans().filter((span) => span.name === name && span.spanContext().traceId === traceId)
/** The spans of the provider events of a trace, as soon as there is one. */
const eventsOf = (traceId: string) =>
  until(
    () => {
      const found = spansOf(traceId, 'receive provider event')
      return found.length > 0 && found
    },
    { what: 'a provider event in the trace' },
  )

test('the hand-off of emails is part of the trace of the first step and linked to those of the others', async () => {
  const [first, second] = [stepTrace(), stepTrace()]
  const { traceparent } = first
  const [one, other] = [
    await rig.person('Ada', { traceparent }),
    await rig.person('Bo', { traceparent: second.traceparent }),
  ]
  expect(await rig.send([one.email, other.email])).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }])
  const sent = recorder.span('send automation emails')
  expect([sent.spanContext().traceId, sent.parentSpanContext?.spanId]).toEqual([first.traceId, first.spanId])
  expect(sent.links.map(({ context }) => [context.traceId, context.spanId])).toEqual([[second.traceId, second.spanId]])
  const calls = spansOf(first.traceId, 'POST').filter(({ kind }) => kind === SpanKind.CLIENT)
  expect(calls.some(({ parentSpanContext }) => parentSpanContext?.spanId === sent.spanContext().spanId)).toBe(true)
})

test('the events of each message continue the trace of its own step', async () => {
  const steps = [stepTrace(), stepTrace()]
  const people = await Promise.all(steps.map(({ traceparent }, n) => rig.person(`P${n}`, { traceparent })))
  await rig.send(people.map(({ email }) => email))
  for (const [n, { traceId, spanId, traceparent }] of steps.entries()) {
    expect(await traceparentTo(people[n]!.address)).toBe(traceparent)
    for (const event of await eventsOf(traceId)) expect(event.parentSpanContext?.spanId).toBe(spanId)
  }
})

test('without a trace of the step, the events continue the trace of the hand-off', async () => {
  const { address, email } = await rig.person('Cy')
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
  const { traceId, spanId } = recorder.span('send automation emails').spanContext()
  expect(await traceparentTo(address)).toBe(`00-${traceId}-${spanId}-01`)
})
