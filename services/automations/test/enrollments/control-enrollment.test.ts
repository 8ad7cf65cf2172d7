// This file has over 300 lines because its tests share one started service.
import { fromBinary } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import type { Fault } from '@lettergate/fault'
import { until } from '@lettergate/stage'
import { addTag, onSubscription, sequence, wait } from '../engine/definitions.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { enrollmentRows } from './enrollment-rows.ts'

let s: RuntimeStage
let rows: ReturnType<typeof enrollmentRows>
let workspaceId: string
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  await s.contacts.registerTag(s.us, { name: 'welcomed' })
  const { id: automationId, selectedVersion } = await s.reviewed(
    sequence({ type: 'manual', config: {} }, [wait(60), addTag('welcomed')]),
  )
  workspaceId = (s.us.caller as { workspaceId: string }).workspaceId
  rows = enrollmentRows(s.stage, { workspaceId, automationId, versionId: selectedVersion!.id })
})
afterAll(() => s.close())

type State = 'active' | 'waiting' | 'paused' | 'completed' | 'cancelled' | 'failed'
const states: State[] = ['active', 'waiting', 'paused', 'completed', 'cancelled', 'failed']
const dueAt = '2026-09-14T09:00:00Z'

/** An enrollment in this state, with its due work. No worker runs. */
async function inState(state: State, values: Record<string, unknown> = {}): Promise<string> {
  const contact_id = newId()
  const isOver = ['completed', 'cancelled', 'failed'].includes(state)
  const end = isOver ? { end_state: state, ended_at: '2026-09-14T11:00:00Z' } : {}
  const id = await rows.enrollment({ contact_id, ...end, ...values })
  if (isOver) {
    await rows.step(id, 1, { node_key: '1-wait_duration' })
    await rows.step(id, 2, { node_key: '2-add_tag', node_type: 'add_tag', outcome: 'failed' })
    return id
  }
  const wait_until = state === 'waiting' ? '2026-09-14T12:00:00Z' : null
  await rows.position(id, { contact_id, state, wait_until, due_at: dueAt, node_key: '1-wait_duration' })
  if (state !== 'paused')
    await s.stage.query('insert into automations.due_enrollments values ($1, $2, $3)', [workspaceId, dueAt, id])
  return id
}
const control = async (enrollmentId: string, action: string, more: { reason?: string; stepId?: string } = {}) =>
  (await s.automations.controlEnrollment(s.us, { enrollmentId, action, ...more })).enrollment!
const read = async (enrollmentId: string) => (await s.automations.getEnrollment(s.us, { enrollmentId })).enrollment!
const due = async (id: string) =>
  (
    await s.stage.query<{ due_at: Date }>('select due_at from automations.due_enrollments where enrollment_id = $1', [
      id,
    ])
  ).map(({ due_at: at }) => at.toISOString())

const results: Record<string, Partial<Record<State, State>>> = {
  pause: { active: 'paused', waiting: 'paused' },
  resume: { paused: 'active' },
  cancel: { active: 'cancelled', waiting: 'cancelled', paused: 'cancelled', failed: 'cancelled' },
  replay: { failed: 'active' },
}

test.each(Object.keys(results))('%s fits its states, and is a conflict in every other one', async (action) => {
  for (const state of states)
    for (const synthetic of [{}, { synthetic_context_id: 'rehearsal', idempotency_key: newId() }]) {
      const id = await inState(state, synthetic)
      const before = await read(id)
      const expected = results[action]![state]
      if (expected) {
        expect(await control(id, action)).toMatchObject({ id, state: expected, synthetic: before.synthetic })
        expect((await read(id)).state).toBe(expected)
        await expect(control(id, action)).rejects.toMatchObject({ code: 'conflict', reason: 'enrollment_state' })
      } else {
        await expect(control(id, action)).rejects.toMatchObject({ code: 'conflict', reason: 'enrollment_state' })
        expect(await read(id)).toEqual(before)
      }
    }
})

test('a control is in the timeline with its reason, and in the audit log with the kind of the enrollment', async () => {
  const real = await inState('waiting')
  const synthetic = await inState('active', { synthetic_context_id: 'rehearsal', idempotency_key: newId() })
  expect((await control(real, 'pause', { reason: ' asked by support ' })).events.at(-1)).toMatchObject({
    event: 'paused',
    actor: 'tester',
    reason: 'asked by support',
  })
  expect((await control(synthetic, 'cancel', { reason: ' ' })).events.at(-1)).toMatchObject({ event: 'cancelled' })
  expect((await read(synthetic)).events.at(-1)!.reason).toBeUndefined()
  const audit = await s.stage.query<{ payload: Buffer }>(
    `select payload from automations.outbox where event = 'audit_recorded' order by id`,
  )
  const records = audit
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId }) => [real, synthetic].includes(subjectId))
  expect(records.map(({ action, actor, subjectType, detail }) => [action, actor, subjectType, detail])).toEqual([
    [
      'enrollment_paused',
      'tester',
      'enrollment',
      { automation_id: expect.any(String), synthetic: false, previous_state: 'waiting' },
    ],
    [
      'enrollment_cancelled',
      'tester',
      'enrollment',
      { automation_id: expect.any(String), synthetic: true, previous_state: 'active' },
    ],
  ])
})

test('a pause and a cancellation remove the due work, also of a contact that is set aside', async () => {
  for (const action of ['pause', 'cancel']) {
    const id = await inState('waiting')
    await s.stage.query(
      `insert into automations.held_enrollments select workspace_id, automation_id, id from automations.enrollments where id = $1`,
      [id],
    )
    await control(id, action)
    expect(await due(id)).toEqual([])
    expect(await s.stage.query('select from automations.held_enrollments where enrollment_id = $1', [id])).toEqual([])
  }
})

test('a resumed enrollment is due now, and keeps the end of its wait', async () => {
  const id = await inState('waiting')
  const [before] = (await control(id, 'pause')).steps
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  const [after] = (await control(id, 'resume')).steps
  expect(after).toEqual(before)
  expect(after!.waitsUntil).toBeDefined()
  expect(await due(id)).toEqual(['2027-03-01T10:00:00.000Z'])
  s.stage.clock.release()
})

test('a resumed enrollment does not show why its step waited before the pause', async () => {
  const id = await inState('active')
  await s.stage.query(
    `update automations.enrollment_positions set waiting_reason = 'contacts_unavailable' where enrollment_id = $1`,
    [id],
  )
  expect((await read(id)).waitingReason).toBe('contacts_unavailable')
  await control(id, 'pause')
  expect((await control(id, 'resume')).waitingReason).toBeUndefined()
})

/** A contact at an email about which the last attempt said this, and its step. */
async function atEmail(waiting_reason: string) {
  const { id: automationId, selectedVersion } = await s.reviewed(
    sequence({ type: 'manual', config: {} }, [
      { type: 'send_email', config: { content_version_id: await s.content(), sender_identity_id: await s.sender() } },
    ]),
  )
  const own = enrollmentRows(s.stage, { workspaceId, automationId, versionId: selectedVersion!.id })
  const id = await own.enrollment()
  const step_id = newId()
  await own.position(id, { node_key: '1-send_email', step_id, waiting_reason })
  return { id, step_id }
}

test.each(['under_way', 'delivery_unavailable', 'deadline'])(
  'an email that may be sent (%s) is in the timeline of an enrollment that is cancelled before the next attempt',
  async (reason) => {
    for (const before of [[], ['pause'], ['pause', 'resume']]) {
      const { id, step_id } = await atEmail(reason)
      for (const action of before) await control(id, action)
      const { steps, providerCalls, state } = await control(id, 'cancel')
      const messageId = reason === 'under_way' ? step_id : undefined
      expect([state, providerCalls]).toEqual(['cancelled', messageId === undefined ? 0 : 1])
      expect(steps.map((step) => [step.nodeKey, step.outcome, step.reasons, step.messageId])).toEqual([
        ['1-send_email', 'unknown', [reason], messageId],
      ])
    }
  },
)

test('an email that a gate holds is not in the timeline of a cancelled enrollment', async () => {
  const { id } = await atEmail('production_sending_enabled')
  expect((await control(id, 'cancel')).steps).toEqual([])
})

test('a replay repeats the failed step as another step, or the step that is named', async () => {
  const id = await inState('failed')
  const failedStep = (await read(id)).steps.at(-1)!
  const replayed = await control(id, 'replay')
  expect(replayed.events.at(-1)).toMatchObject({ event: 'replayed', stepId: failedStep.stepId })
  expect(replayed.steps).toHaveLength(3)
  expect(replayed.steps[2]).toMatchObject({ number: 3, nodeKey: '2-add_tag' })
  expect(replayed.steps[2]!.stepId).not.toBe(failedStep.stepId)
  expect(await due(id)).toHaveLength(1)

  const other = await inState('failed')
  const [first] = (await read(other)).steps
  const repeated = await control(other, 'replay', { stepId: first!.stepId })
  expect(repeated.currentNodeKey).toBe('1-wait_duration')
  expect(repeated.events.at(-1)!.stepId).toBe(first!.stepId)
})

test('a replay is refused for a step of another enrollment, and when the enrollment has the most steps', async () => {
  const id = await inState('failed')
  const [foreign] = (await read(await inState('failed'))).steps
  for (const stepId of [foreign!.stepId, 'no-id', ''])
    await expect(control(id, 'replay', { stepId })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'step_id',
    })
  await rows.step(id, 10_000)
  await expect(control(id, 'replay')).rejects.toMatchObject({ code: 'conflict', reason: 'too_many_steps' })
  expect((await read(id)).state).toBe('failed')
})

test('a replay is a conflict while the contact is in the automation with another enrollment', async () => {
  const id = await inState('failed')
  const contact_id = (await read(id)).events[0]!.contactId
  const again = await rows.enrollment({ contact_id })
  await rows.position(again, { contact_id, node_key: '1-wait_duration' })
  await expect(control(id, 'replay')).rejects.toMatchObject({ code: 'conflict', reason: 'contact_enrolled' })
  expect((await read(id)).state).toBe('failed')
  await control(again, 'cancel')
  expect((await control(id, 'replay')).state).toBe('active')
})

test('an enrollment of an erased contact is not replayed', async () => {
  const id = await inState('failed')
  const contact_id = (await read(id)).events[0]!.contactId
  await s.stage.query('insert into automations.erased_contacts (workspace_id, contact_id) values ($1, $2)', [
    workspaceId,
    contact_id,
  ])
  await expect(control(id, 'replay')).rejects.toMatchObject({ code: 'conflict', reason: 'contact_missing' })
  expect((await read(id)).state).toBe('failed')
})

test('while the switch is off every control is a conflict', async () => {
  await s.setGate(false)
  for (const [action, from] of Object.entries(results)) {
    const id = await inState(Object.keys(from)[0] as State)
    await expect(control(id, action)).rejects.toMatchObject({ code: 'conflict', reason: 'automation_enabled' })
  }
  await s.setGate(true)
})

test('an unknown enrollment, one of another workspace and an unknown action are not found', async () => {
  const id = await inState('active')
  for (const enrollmentId of [newId(), 'no-id'])
    await expect(control(enrollmentId, 'pause')).rejects.toMatchObject({ code: 'not_found' })
  for (const [caller, action] of [
    [s.them, 'pause'],
    [s.us, 'stop'],
  ] as const)
    await expect(s.automations.controlEnrollment(caller, { enrollmentId: id, action })).rejects.toMatchObject({
      code: 'not_found',
    })
  await expect(control(id, 'pause', { reason: 'é'.repeat(501) })).rejects.toMatchObject({ code: 'invalid_argument' })
  expect((await control(id, 'pause', { reason: '👋'.repeat(500) })).state).toBe('paused')
})

test('of several refusals the body comes first, then what is not there, a conflict, and a reference', async () => {
  const [long, failed] = ['x'.repeat(501), await inState('failed')]
  const contact_id = (await read(failed)).events[0]!.contactId
  const again = await rows.enrollment({ contact_id })
  await rows.position(again, { contact_id, node_key: '1-wait_duration' })
  const refused = async (id: string, stepId: string, reason?: string) => {
    const answer = control(id, 'replay', { stepId, ...(reason === undefined ? {} : { reason }) })
    return answer.catch((error: Fault) => `${error.code} ${error.reason}`)
  }
  expect(await refused(newId(), newId(), long)).toBe('invalid_argument reason')
  expect(await refused(newId(), 'no-id')).toBe('invalid_argument step_id')
  expect(await refused(failed, newId())).toBe('conflict contact_enrolled')
  await s.setGate(false)
  expect(await refused(newId(), newId())).toBe('not_found enrollment')
  expect(await refused(again, newId())).toBe('conflict automation_enabled')
  await s.setGate(true)
  expect(await refused(again, newId())).toBe('conflict enrollment_state')
  await control(again, 'cancel')
  expect(await refused(failed, newId())).toBe('invalid_argument step_id')
  expect((await read(failed)).state).toBe('failed')
})

test('of concurrent controls one succeeds', async () => {
  for (const action of Object.keys(results)) {
    const id = await inState(Object.keys(results[action]!)[0] as State)
    const answers = await Promise.allSettled([control(id, action), control(id, action), control(id, action)])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' })
  }
})

test.each([
  ['pause', 'paused'],
  ['cancel', 'cancelled'],
])('%s is answered after the step that a worker had begun', async (action, state) => {
  const id = await inState('active')
  await s.stage.query(
    `insert into automations.enrollment_claims values ($1, gen_random_uuid(), array[$2::uuid], 'w', now() + interval '1 hour')`,
    [workspaceId, id],
  )
  let isAnswered = false
  const answer = control(id, action).finally(() => (isAnswered = true))
  await until(async () => (await read(id)).state === state)
  await rows.step(id, 1, { node_key: '1-wait_duration' })
  expect(isAnswered).toBe(false)
  await s.stage.query('delete from automations.enrollment_claims where $1 = any(enrollment_ids)', [id])
  const enrollment = await answer
  expect(enrollment.state).toBe(state)
  expect(enrollment.steps[0]).toMatchObject({ number: 1, outcome: 'waited' })
})

test('a claim whose lease has ended does not delay an answer', async () => {
  const id = await inState('active')
  await s.stage.query(
    `insert into automations.enrollment_claims values ($1, gen_random_uuid(), array[$2::uuid], 'w', now() - interval '1 second')`,
    [workspaceId, id],
  )
  expect((await control(id, 'pause')).state).toBe('paused')
})

test('with workers, a paused contact stays, a resumed one waits on, and a replayed one repeats its step', async () => {
  s.stage.clock.set(new Date('2027-03-01T10:00:00Z'))
  await s.worker()
  const audienceId = await s.audience()
  const joined = await s.audience()
  const automationId = await s.published(
    sequence(onSubscription(audienceId), [
      wait(3_600),
      { type: 'add_audience', config: { audience_id: joined, wording_version: '1', source: 'a' } },
    ]),
  )
  const contactId = await s.contact()
  await s.subscribe(contactId, audienceId)
  await s.inState(automationId, 'waiting')
  const { id } = (await s.enrollments(automationId))[0]!
  await control(id, 'pause')
  s.stage.clock.set(new Date('2027-03-01T10:30:00Z'))
  await s.subscribe(await s.contact(), audienceId)
  await until(async () => (await s.enrollments(automationId))[1]?.state === 'waiting')
  await control(id, 'resume')
  await until(async () => (await read(id)).state === 'waiting')
  await control(id, 'pause')
  s.stage.clock.set(new Date('2027-03-01T12:00:00Z'))
  // The other contact, whose wait ended later, is done. So the paused one would have been.
  await s.completed(automationId, 1)
  expect((await read(id)).state).toBe('paused')
  // The effect is refused, until the contact is no longer suppressed.
  const { suppressionId } = await s.contacts.suppressContact(s.us, {
    contactId,
    scope: 'audience',
    audienceId: joined,
    reason: 'manual',
  })
  await control(id, 'resume')
  await until(async () => (await read(id)).state === 'failed')
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'a mistake' })
  await control(id, 'replay')
  await until(async () => (await read(id)).state === 'completed')
  expect((await read(id)).steps.map((step) => [step.number, step.nodeKey, step.outcome])).toEqual([
    [1, '1-wait_duration', 'waited'],
    [2, '2-add_audience', 'failed'],
    [3, '2-add_audience', 'applied'],
    [4, '3-end', 'completed'],
  ])
  s.stage.clock.release()
})
