import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { recordSpans, type SpanRecorder } from '@lettergate/stage/spans'
import { loadConfig } from '../../src/config.ts'
import { start } from '../../src/service.ts'
import { adjustScore, onSubscription, sequence } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'

let recorder: SpanRecorder
let rig: EmailRuntime
beforeAll(async () => {
  recorder = recordSpans()
  rig = await openEmailRuntime()
  await rig.stage.boot('automations', start, loadConfig, {
    ...rig.stage.environment('automations', rig.targets),
    ROLE: 'worker',
  })
})
afterAll(async () => {
  await rig.close()
  await recorder.stop()
})

/** The span of the step `send_email` with this id, and its child with this name. */
const stepSpan = (id: string) =>
  until(() => recorder.spans().find((span) => span.spanContext().spanId === id), { what: 'the span of the step' })
const childOf = (id: string, name: string) =>
  until(() => recorder.spans().find((span) => span.name === name && span.parentSpanContext?.spanId === id), {
    what: `the span ${name}`,
  })

test('the hand-off of an email and the events of the provider are part of the trace of its trigger', async () => {
  const audienceId = await rig.audience()
  const nodes = [adjustScore(1), rig.emailNode()]
  const automationId = await rig.published(sequence(onSubscription(audienceId), nodes), audienceId)
  await rig.subscriber(audienceId, 'traced@example.org')
  expect(await rig.ended(automationId, 1)).toEqual(['completed'])
  const [enrollment] = await rig.stage.query<{ trace: Record<string, string> }>(
    'select trace from automations.enrollments where automation_id = $1',
    [automationId],
  )
  const traceId = enrollment!.trace['traceparent']!.split('-')[1]!
  const [message] = await rig.messagesTo('traced@example.org')
  // Of the attempt that sent the email.
  const [, traceOfMessage, stepId] = message!.variables['traceparent']!.split('-')
  expect(traceOfMessage).toBe(traceId)
  expect((await stepSpan(stepId!)).attributes).toMatchObject({ 'lettergate.node.key': '2-send_email' })
  for (const name of ['send automation emails', 'receive provider event'])
    expect((await childOf(stepId!, name)).spanContext().traceId).toBe(traceId)
})
