// This file has over 300 lines because its tests share one started service.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { recordSpans, type SpanRecorder } from '@lettergate/stage/spans'
import { describeContacts } from '../../src/contacts/describe-contacts.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { addTag, adjustScore, onSubscription, sequence, wait } from './definitions.ts'

let s: RuntimeStage
let recorder: SpanRecorder
let worker: Awaited<ReturnType<RuntimeStage['worker']>>
beforeAll(async () => {
  recorder = recordSpans()
  s = await openRuntime({ hasWorker: false })
  worker = await s.worker()
  for (const name of ['welcomed', 'vip']) await s.contacts.registerTag(s.us, { name })
  await s.contacts.defineContactField(s.us, { fieldKey: 'renewal', label: 'Renewal', fieldType: 'date' })
})
afterAll(async () => {
  await s.close()
  await recorder.stop()
})

const describe = async (contactId: string) =>
  (await describeContacts({ ...s.us, contacts: s.contacts }, [contactId])).contacts.get(contactId)!

/** Publishes an automation with these nodes, and subscribes a new contact. */
async function started(nodes: Parameters<typeof sequence>[1], contact: object = {}) {
  const audienceId = await s.audience()
  const automationId = await s.published(sequence(onSubscription(audienceId), nodes))
  const contactId = await s.contact(s.us, contact)
  await s.subscribe(contactId, audienceId)
  return { audienceId, automationId, contactId }
}
const eventsOf = (automationId: string) =>
  s.stage.query<{ event: string; actor: string; reason: string | null }>(
    `select v.event, v.actor, v.reason from automations.enrollment_events v
       join automations.enrollments e on e.id = v.enrollment_id where e.automation_id = $1 order by v.at`,
    [automationId],
  )
const shown = (rows: Awaited<ReturnType<RuntimeStage['steps']>>) =>
  rows.map(({ node_key: key, outcome, reasons, branch }) => [
    key,
    outcome,
    ...reasons,
    ...(branch === null ? [] : [branch]),
  ])

test('a contact passes the nodes in order, each has its effect once, and the enrollment is completed', async () => {
  const other = await s.audience()
  const { automationId, contactId, audienceId } = await started([
    addTag('welcomed'),
    addTag('welcomed'),
    adjustScore(5),
    { type: 'update_contact_field', config: { field: 'company', value: 'Ltd' } },
    { type: 'add_audience', config: { audience_id: other, wording_version: '1', source: 'a' } },
    { type: 'remove_tag', config: { tag: 'vip' } },
  ])
  await s.inState(automationId, 'completed')
  expect(shown(await s.steps(automationId))).toEqual([
    ['1-add_tag', 'applied'],
    ['2-add_tag', 'unchanged'],
    ['3-adjust_score', 'applied'],
    ['4-update_contact_field', 'applied'],
    ['5-add_audience', 'applied'],
    ['6-remove_tag', 'unchanged'],
    ['7-end', 'completed'],
  ])
  const contact = await describe(contactId)
  expect(contact).toMatchObject({ score: 5, tags: [{ name: 'welcomed' }], fields: { company: 'Ltd' } })
  expect(contact.activeAudienceIds.toSorted()).toEqual([audienceId, other].toSorted())
})

test('a decision takes the first branch that holds at its time, and default otherwise', async () => {
  const audienceId = await s.audience()
  const definition = {
    trigger: onSubscription(audienceId),
    start_node: 'which',
    nodes: [
      { key: 'which', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      { from: 'which', to: 'end', branch: 'vip', condition: { tag: 'vip', operator: 'exists' } },
      { from: 'which', to: 'end', branch: 'ada', condition: { field: 'first_name', operator: 'equals', value: 'Ada' } },
      { from: 'which', to: 'end', branch: 'default' },
    ],
  }
  const automationId = await s.published(definition)
  const branches = []
  for (const contact of [{ tags: ['vip'], firstName: 'Ada' }, { firstName: 'Ada' }, {}]) {
    await s.subscribe(await s.contact(s.us, contact), audienceId)
    branches.push(
      await s
        .completed(automationId, branches.length + 1)
        .then(async () => (await s.steps(automationId)).at(-2)!.branch),
    )
  }
  expect(branches).toEqual(['vip', 'ada', 'default'])
  // The conditions after the one that held were not looked at.
  const vip = (value: boolean) => ({ tag: 'vip', type: 'boolean', value })
  const firstName = (value: string | null) => ({ field: 'first_name', type: 'text', value })
  const inputs = (await s.enrollments(automationId)).map(async ({ id }) => {
    const { enrollment } = await s.automations.getEnrollment(s.us, { enrollmentId: id })
    return enrollment!.steps[0]!.input
  })
  expect(await Promise.all(inputs)).toEqual([
    { compared: [vip(true)] },
    { compared: [vip(false), firstName('Ada')] },
    { compared: [vip(false), firstName(null)] },
  ])
})

test('a text that looks like a date-time is compared as a text, and a date-time as an instant', async () => {
  const audienceId = await s.audience()
  const [seen, code] = ['2027-01-01T00:00:00+01:00', '2026-12-31T23:00:00Z']
  for (const [fieldKey, fieldType] of [
    ['seen', 'datetime'],
    ['code', 'text'],
  ] as const)
    await s.contacts.defineContactField(s.us, { fieldKey, fieldType, label: fieldKey })
  const edge = (branch: string, more: object = {}) => ({ from: 'which', to: 'end', branch, ...more })
  const automationId = await s.published({
    trigger: onSubscription(audienceId),
    start_node: 'which',
    nodes: [
      { key: 'which', type: 'decision', config: {} },
      { key: 'end', type: 'end', config: {} },
    ],
    edges: [
      edge('code', { condition: { field: 'custom.code', operator: 'equals', value: code } }),
      edge('seen', { condition: { field: 'custom.seen', operator: 'equals', value: code } }),
      edge('default'),
    ],
  })
  const contactId = await s.contact(s.us, { customFields: { seen, code: seen } })
  await s.subscribe(contactId, audienceId)
  await s.completed(automationId, 1)
  const [entered] = await s.enrollments(automationId)
  const { enrollment } = await s.automations.getEnrollment(s.us, { enrollmentId: entered!.id })
  expect(enrollment!.steps[0]).toMatchObject({
    branch: 'seen',
    input: { compared: [{ type: 'text' }, { type: 'datetime' }] },
  })
})

test('a wait lasts as long as it says, and the contact is waiting until then', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(3_600), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  expect(await s.steps(automationId)).toEqual([])
  s.stage.clock.set(new Date('2027-03-01T11:00:00Z'))
  await s.inState(automationId, 'completed')
  const [waited] = await s.steps(automationId)
  expect([waited!.outcome, waited!.finished_at]).toEqual(['waited', new Date('2027-03-01T11:00:00Z')])
  s.stage.clock.release()
})

test('a wait for a date ends at midnight where the contact is, one for the past or without a date at once', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const untilField = [{ type: 'wait_until_date', config: { field: 'custom.renewal' } }]
  const contact = { timezone: 'Europe/Berlin', customFields: { renewal: '2027-03-28' } }
  const future = await started(untilField, contact)
  await s.inState(future.automationId, 'waiting')
  const [position] = await s.stage.query<{ wait_until: Date }>(
    'select wait_until from automations.enrollment_positions where automation_id = $1',
    [future.automationId],
  )
  expect(position!.wait_until).toEqual(new Date('2027-03-27T23:00:00Z'))
  const past = await started([{ type: 'wait_until_date', config: { at: '2027-03-01T10:00:00+01:00' } }])
  await s.inState(past.automationId, 'completed')
  expect(shown(await s.steps(past.automationId))[0]).toEqual(['1-wait_until_date', 'waited'])
  const without = await started(untilField)
  await s.inState(without.automationId, 'completed')
  expect(shown(await s.steps(without.automationId))[0]).toEqual(['1-wait_until_date', 'skipped', 'date_missing'])
  s.stage.clock.release()
})

test('a paused automation holds its contacts, and publishing releases them', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(60), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  await s.automations.pauseAutomation(s.us, { automationId })
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  await s.held(automationId, 1)
  s.stage.clock.set(new Date('2027-03-01T14:00:00Z'))
  await s.automations.publishAutomation(s.us, { automationId })
  await s.inState(automationId, 'completed')
  for (const step of await s.steps(automationId)) expect(step.finished_at).toEqual(new Date('2027-03-01T14:00:00Z'))
  s.stage.clock.release()
})

test('a new version holds the contacts of the earlier one until it is published, and they finish theirs', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId, audienceId } = await started([wait(60), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  const definition = sequence(onSubscription(audienceId), [adjustScore(1)]) as never
  const { automation } = await s.automations.createAutomationVersion(s.us, { automationId, definition })
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  await s.held(automationId, 1)
  await s.review(automation!)
  await s.automations.publishAutomation(s.us, { automationId })
  await s.inState(automationId, 'completed')
  expect(shown(await s.steps(automationId)).map(([key]) => key)).toEqual(['1-wait_duration', '2-add_tag', '3-end'])
  s.stage.clock.release()
})

test('a refused effect fails the enrollment, with its reasons', async () => {
  const gone = await s.audience()
  const audienceId = await s.audience()
  const automationId = await s.published(
    sequence(onSubscription(audienceId), [
      { type: 'add_audience', config: { audience_id: gone, wording_version: '1', source: 'a' } },
      addTag('welcomed'),
    ]),
  )
  await s.archiveAudience(gone)
  await s.subscribe(await s.contact(), audienceId)
  await s.inState(automationId, 'failed')
  expect(shown(await s.steps(automationId))).toEqual([['1-add_audience', 'failed', 'audience_archived']])
  expect(await eventsOf(automationId)).toEqual([{ event: 'failed', actor: 'system', reason: 'audience_archived' }])
})

test('the enrollment of a contact that does not exist any more is cancelled at its next step', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId, contactId } = await started([wait(60), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  await s.stage.query(
    `update automations.enrollment_positions set contact_id = gen_random_uuid() where contact_id = $1`,
    [contactId],
  )
  s.stage.clock.set(new Date('2027-03-01T10:05:00Z'))
  await s.inState(automationId, 'cancelled')
  s.stage.clock.release()
})

test('an enrollment ends as failed after ten thousand steps', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(60), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  await s.stage.query('update automations.enrollment_positions set step_number = 10000 where automation_id = $1', [
    automationId,
  ])
  s.stage.clock.set(new Date('2027-03-01T10:05:00Z'))
  await s.inState(automationId, 'failed')
  expect(await eventsOf(automationId)).toEqual([{ event: 'failed', actor: 'system', reason: 'too_many_steps' }])
  s.stage.clock.release()
})

test('while the switch is off no step begins, and when it is on again the enrollment goes on', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(60), addTag('welcomed')])
  await s.inState(automationId, 'waiting')
  await worker.stop()
  await s.setGate(false)
  worker = await s.worker()
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  // A worker that consumes events has looked for work before.
  await s.subscribe(await s.contact(), await s.audience())
  await s.handled(worker, 'on-audience-subscribed', 1)
  s.stage.clock.set(new Date('2027-03-01T14:00:00Z'))
  await s.setGate(true)
  await s.inState(automationId, 'completed')
  for (const step of await s.steps(automationId)) expect(step.finished_at).toEqual(new Date('2027-03-01T14:00:00Z'))
  s.stage.clock.release()
})

test('the contacts of a worker that is gone are taken by another one when its lease ends', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(60), adjustScore(1)])
  await s.inState(automationId, 'waiting')
  // What a worker leaves that was killed after it took the contact.
  await s.stage.query(
    `with gone as (delete from automations.due_enrollments d using automations.enrollment_positions p
                    where p.automation_id = $1 and d.enrollment_id = p.enrollment_id returning d.workspace_id, d.enrollment_id)
     insert into automations.enrollment_claims (workspace_id, id, enrollment_ids, holder, lease_until)
     select workspace_id, gen_random_uuid(), array[enrollment_id], 'gone', now() from gone`,
    [automationId],
  )
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  await s.inState(automationId, 'completed')
  expect(await s.stage.query('select from automations.enrollment_claims')).toEqual([])
  s.stage.clock.release()
})

test('each step is a span in the trace of its trigger', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const { automationId } = await started([wait(60), addTag('welcomed'), adjustScore(1)])
  await s.inState(automationId, 'waiting')
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  await s.inState(automationId, 'completed')
  const { id, trace } = (await s.enrollments(automationId))[0]!
  const spans = await until(() => {
    const ours = recorder.spans().filter(({ attributes }) => attributes['lettergate.enrollment.id'] === id)
    return ours.length >= 4 && ours
  })
  const shown = ['lettergate.node.key', 'lettergate.node.type', 'lettergate.step.outcome']
  expect(spans.map(({ name, attributes }) => [name, ...shown.map((attribute) => attributes[attribute])])).toEqual([
    ['step of automation', '1-wait_duration', 'wait_duration', 'waited'],
    ['step of automation', '2-add_tag', 'add_tag', 'applied'],
    ['step of automation', '3-adjust_score', 'adjust_score', 'applied'],
    ['step of automation', '4-end', 'end', 'completed'],
  ])
  for (const span of spans) expect(span.spanContext().traceId).toBe(trace['traceparent']!.split('-')[1])
  s.stage.clock.release()
})
