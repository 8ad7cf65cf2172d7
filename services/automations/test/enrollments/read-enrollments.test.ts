import type { JsonObject } from '@bufbuild/protobuf'
import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { emptyDefinition, openAutomations, type AutomationsStage } from '../automations-stage.ts'
import { enrollmentRows } from './enrollment-rows.ts'

let s: AutomationsStage
beforeAll(async () => {
  s = await openAutomations()
})
afterAll(() => s.close())

const definition: JsonObject = {
  trigger: { type: 'manual', config: {} },
  start_node: 'wait',
  nodes: [
    { key: 'wait', type: 'wait_duration', config: { seconds: 3_600 } },
    { key: 'score', type: 'adjust_score', config: { amount: 1 } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [
    { from: 'wait', to: 'score', branch: 'default' },
    { from: 'score', to: 'end', branch: 'default' },
  ],
}

let automations = 0
/** A new automation, and what writes its enrollments. */
async function automation(caller = s.us) {
  automations += 1
  const made = await s.automations.createAutomation(caller, { name: 'A', slug: `read-${automations}`, definition })
  const { id: automationId, selectedVersion: version } = made.automation!
  const { workspaceId } = caller.caller as { workspaceId: string }
  return {
    automationId,
    versionId: version!.id,
    ...enrollmentRows(s.stage, { workspaceId, automationId, versionId: version!.id }),
  }
}

const list = async (automationId: string, caller = s.us) =>
  (await s.automations.listEnrollments(caller, { automationId })).enrollments
const read = async (enrollmentId: string, caller = s.us) =>
  (await s.automations.getEnrollment(caller, { enrollmentId })).enrollment!
const iso = (at: Timestamp | undefined) => at && timestampDate(at).toISOString()
const end = (state: string) => ({ end_state: state, ended_at: '2026-09-14T11:00:00Z' })

test('the list has the enrollments of one automation, newest first, each with its state', async () => {
  const own = await automation()
  const other = await automation()
  const states = ['active', 'waiting', 'paused', 'completed', 'cancelled', 'failed']
  const ids: string[] = []
  for (const state of states) {
    const isOver = ['completed', 'cancelled', 'failed'].includes(state)
    const id = await own.enrollment(isOver ? end(state) : {})
    if (!isOver) await own.position(id, { state, wait_until: state === 'waiting' ? '2026-09-14T12:00:00Z' : null })
    else await own.step(id, 1, { node_key: 'score', node_type: 'adjust_score', outcome: 'applied' })
    ids.push(id)
  }
  await other.position(await other.enrollment())
  const answer = await s.automations.listEnrollments(s.us, { automationId: own.automationId })
  expect(answer).toMatchObject({ syntheticOnly: true, productionEnrollmentAvailable: false })
  expect(answer.enrollments.map(({ id, state }) => [id, state])).toEqual(
    ids.map((id, index) => [id, states[index]]).toReversed(),
  )
  expect(answer.enrollments.map(({ currentNodeKey }) => currentNodeKey).toReversed()).toEqual([
    'wait',
    'wait',
    'wait',
    undefined,
    undefined,
    'score',
  ])
  expect(answer.enrollments.map(({ completedAt }) => iso(completedAt)).toReversed()).toEqual([
    undefined,
    undefined,
    undefined,
    '2026-09-14T11:00:00.000Z',
    undefined,
    undefined,
  ])
  expect(answer.enrollments[0]).toMatchObject({
    workspaceId: s.us.caller.workspaceId,
    automationId: own.automationId,
    automationVersionId: own.versionId,
    synthetic: false,
    webhookCalls: 0,
  })
  expect(iso(answer.enrollments[0]!.enrolledAt)).toBe('2026-09-14T09:00:00.000Z')
  expect(await list(other.automationId)).toHaveLength(1)
})

test('an automation without enrollments has an empty list', async () => {
  const { automationId } = await automation()
  expect(await list(automationId)).toEqual([])
})

test('a page has at most 1,000, and its cursor leads to the rest', async () => {
  const { automationId, versionId } = await automation()
  await s.stage.query(
    `insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, correlation_id, trace,
                                          enrolled_at, end_state, ended_at)
     select $1, uuidv7(), $2, $3, uuidv7(), 'tag_added', 'c', '{}', now(), 'completed', now() from generate_series(1, 1001)`,
    [s.us.caller.workspaceId, automationId, versionId],
  )
  const all = await s.stage.query<{ id: string }>(
    'select id from automations.enrollments where automation_id = $1 order by id desc',
    [automationId],
  )
  const page = async (more: { cursor?: string | undefined; limit?: number } = {}) => {
    const answer = await s.automations.listEnrollments(s.us, { automationId, ...more })
    return { ids: answer.enrollments.map(({ id }) => id), next: answer.nextCursor }
  }
  const first = await page()
  const second = await page({ cursor: first.next })
  expect([first.ids.length, second.ids.length, second.next]).toEqual([1_000, 1, undefined])
  expect([...first.ids, ...second.ids]).toEqual(all.map(({ id }) => id))
  const small = await page({ limit: 2 })
  expect((await page({ cursor: small.next, limit: 2 })).ids).toEqual(first.ids.slice(2, 4))
  for (const [field, more] of [
    ['cursor', { cursor: 'x' }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
  ] as const)
    await expect(page(more)).rejects.toMatchObject({ code: 'invalid_argument', reason: field })
})

test('calls to the provider are the steps with a message; a synthetic enrollment has none', async () => {
  const own = await automation()
  const id = await own.enrollment(end('completed'))
  const mail = { node_key: 'mail', node_type: 'send_email' }
  await own.step(id, 1, { ...mail, outcome: 'accepted', message_id: newId() })
  await own.step(id, 2, { ...mail, outcome: 'skipped', reasons: ['not_subscribed'] })
  await own.step(id, 3, { ...mail, outcome: 'unknown', message_id: newId() })
  const synthetic = await own.enrollment({ ...end('completed'), synthetic_context_id: 'r', idempotency_key: newId() })
  await own.step(synthetic, 1, { ...mail, outcome: 'simulated' })
  expect((await list(own.automationId)).map((one) => [one.synthetic, one.providerCalls])).toEqual([
    [true, 0],
    [false, 2],
  ])
  expect(await read(id)).toMatchObject({ synthetic: false, providerCalls: 2, webhookCalls: 0 })
  expect(await read(synthetic)).toMatchObject({ synthetic: true, providerCalls: 0, webhookCalls: 0 })
})

test('the timeline begins with the trigger, and has what users did and each finished step', async () => {
  const own = await automation()
  const [contactId, audienceId, messageId, stepId] = [newId(), newId(), newId(), newId()]
  const id = await own.enrollment({
    ...end('completed'),
    contact_id: contactId,
    trigger_type: 'audience_subscribed',
    audience_id: audienceId,
  })
  await own.event(id, 'failed', { actor: 'system', reason: 'tag_missing', step_id: stepId, at: '2026-09-14T10:30:00Z' })
  await own.event(id, 'paused', { reason: 'holiday', at: '2026-09-14T09:30:00Z' })
  await own.event(id, 'resumed', { at: '2026-09-14T09:40:00Z' })
  await own.step(id, 2, {
    node_key: 'tag',
    node_type: 'add_tag',
    step_id: stepId,
    outcome: 'refused',
    reasons: ['tag_missing'],
  })
  await own.step(id, 1, { node_key: 'choice', node_type: 'decision', outcome: 'decided', branch: 'vip' })
  await own.step(id, 3, { node_key: 'mail', node_type: 'send_email', outcome: 'accepted', message_id: messageId })
  const { events, steps } = await read(id)
  expect(events.map(({ event, at, actor }) => [event, iso(at), actor])).toEqual([
    ['enrolled', '2026-09-14T09:00:00.000Z', undefined],
    ['paused', '2026-09-14T09:30:00.000Z', 'u-ada'],
    ['resumed', '2026-09-14T09:40:00.000Z', 'u-ada'],
    ['failed', '2026-09-14T10:30:00.000Z', 'system'],
    ['completed', '2026-09-14T11:00:00.000Z', undefined],
  ])
  expect(events[0]).toMatchObject({ contactId, audienceId, triggerType: 'audience_subscribed' })
  expect(events[1]).toMatchObject({ reason: 'holiday' })
  expect(events[3]).toMatchObject({ reason: 'tag_missing', stepId })
  expect(steps.map(({ number, nodeKey, nodeType, outcome }) => [number, nodeKey, nodeType, outcome])).toEqual([
    [1, 'choice', 'decision', 'decided'],
    [2, 'tag', 'add_tag', 'refused'],
    [3, 'mail', 'send_email', 'accepted'],
  ])
  expect(steps[0]).toMatchObject({ branch: 'vip', reasons: [] })
  expect(steps[1]).toMatchObject({ stepId, reasons: ['tag_missing'] })
  expect(steps[2]).toMatchObject({ messageId })
  expect([iso(steps[2]!.startedAt), iso(steps[2]!.finishedAt)]).toEqual([
    '2026-09-14T09:00:00.000Z',
    '2026-09-14T10:00:00.000Z',
  ])
})

test('the step at which the contact is comes last, without an outcome, and says how long it waits', async () => {
  const own = await automation()
  const id = await own.enrollment()
  const stepId = newId()
  await own.step(id, 1, { node_key: 'score', node_type: 'adjust_score', outcome: 'applied' })
  const until = '2026-09-15T09:00:00Z'
  await own.position(id, { state: 'waiting', step_id: stepId, step_number: 2, wait_until: until, due_at: until })
  const { state, currentNodeKey, dueAt, steps } = await read(id)
  expect([state, currentNodeKey]).toEqual(['waiting', 'wait'])
  expect(iso(dueAt)).toBe('2026-09-15T09:00:00.000Z')
  expect(steps).toHaveLength(2)
  expect(steps[1]).toMatchObject({ stepId, number: 2, nodeKey: 'wait', nodeType: 'wait_duration', reasons: [] })
  expect([steps[1]!.outcome, steps[1]!.finishedAt, iso(steps[1]!.waitsUntil)]).toEqual([
    undefined,
    undefined,
    '2026-09-15T09:00:00.000Z',
  ])
})

test('each step has the configuration of its node, as the version of the enrollment has it', async () => {
  const own = await automation()
  const id = await own.enrollment()
  await own.step(id, 1, { node_key: 'score', node_type: 'adjust_score', outcome: 'applied' })
  await own.position(id, { step_number: 2 })
  await s.automations.createAutomationVersion(s.us, { automationId: own.automationId, definition: emptyDefinition })
  expect((await read(id)).steps.map(({ input }) => input)).toEqual([{ amount: 1 }, { seconds: 3_600 }])
})

test('a step of a node with a large configuration has no input', async () => {
  const own = await automation()
  const config = (characters: number) => ({ field: 'company', value: 'a'.repeat(characters) })
  const frame = JSON.stringify(config(0)).length
  const node = (key: string, characters: number) => ({ key, type: 'update_contact_field', config: config(characters) })
  const [{ id: versionId }] = (await s.stage.query<{ id: string }>(
    `insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     select workspace_id, gen_random_uuid(), automation_id, 2, trigger_type, $2, definition_checksum, validation, preview, created_by_wallet_id
       from automations.automation_versions where id = $1 returning id`,
    [
      own.versionId,
      JSON.stringify({ ...definition, nodes: [node('fits', 4_096 - frame), node('large', 4_097 - frame)] }),
    ],
  )) as [{ id: string }]
  const id = await own.enrollment({ ...end('cancelled'), version_id: versionId })
  for (const [index, key] of ['fits', 'large'].entries())
    await own.step(id, index + 1, { node_key: key, node_type: 'update_contact_field', outcome: 'applied' })
  expect((await read(id)).steps.map(({ input }) => input)).toEqual([config(4_096 - frame), undefined])
})

test('a paused or ended enrollment has no next step that is due', async () => {
  const own = await automation()
  const [paused, ended] = [await own.enrollment(), await own.enrollment(end('completed'))]
  await own.position(paused, { state: 'paused', waiting_reason: 'workspace_sending' })
  expect([(await read(paused)).dueAt, (await read(ended)).dueAt]).toEqual([undefined, undefined])
  expect([(await read(paused)).waitingReason, (await read(ended)).waitingReason]).toEqual([undefined, undefined])
})

test('an enrollment in an earlier version is read by that version', async () => {
  const own = await automation()
  const id = await own.enrollment()
  await own.position(id)
  await s.automations.createAutomationVersion(s.us, { automationId: own.automationId, definition: emptyDefinition })
  const { automationVersionId, steps } = await read(id)
  expect(automationVersionId).toBe(own.versionId)
  expect(steps.map(({ nodeType }) => nodeType)).toEqual(['wait_duration'])
})

test('a long timeline has the beginning and the newest 1,000 events and steps', async () => {
  const own = await automation()
  const id = await own.enrollment(end('cancelled'))
  const { workspaceId } = s.us.caller
  await s.stage.query(
    `insert into automations.enrollment_steps (workspace_id, enrollment_id, number, step_id, node_key, node_type, outcome, started_at, finished_at)
     select $1, $2, n, uuidv7(), 'wait', 'wait_duration', 'waited', now(), now() from generate_series(1, 1005) n`,
    [workspaceId, id],
  )
  await s.stage.query(
    `insert into automations.enrollment_events (workspace_id, enrollment_id, id, event, actor, reason, at)
     select $1, $2, uuidv7(), 'paused', 'u', n::text, now() + n * interval '1 second' from generate_series(1, 1005) n`,
    [workspaceId, id],
  )
  const { events, steps } = await read(id)
  expect([steps.length, steps[0]!.number, steps.at(-1)!.number]).toEqual([1_000, 6, 1_005])
  expect([events.length, events[0]!.event, events[1]!.reason, events.at(-1)!.reason]).toEqual([
    1_001,
    'enrolled',
    '6',
    '1005',
  ])
})

test('unknown, foreign and malformed ids are not found', async () => {
  const own = await automation()
  const id = await own.enrollment()
  await own.position(id)
  for (const [caller, enrollmentId] of [
    [s.them, id],
    [s.us, newId()],
    [s.us, 'x'],
  ] as const)
    await expect(read(enrollmentId, caller)).rejects.toMatchObject({ code: 'not_found', reason: 'enrollment' })
  for (const [caller, automationId] of [
    [s.them, own.automationId],
    [s.us, newId()],
    [s.us, 'x'],
  ] as const)
    await expect(list(automationId, caller)).rejects.toMatchObject({ code: 'not_found', reason: 'automation' })
  expect((await read(id.toUpperCase())).id).toBe(id)
})
