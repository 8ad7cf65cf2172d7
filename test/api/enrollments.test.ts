import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signIn } from '@lettergate/gateway/test/console-session'
import { gatewayStage, lab, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { until } from '@lettergate/stage'
import { automationsWithWorker } from './automations-services.ts'

interface Enrollment {
  id: string
  automation_id: string
  state: string
}
interface Version {
  id: string
  definition_checksum: string
}

let gateway: GatewayStage
let audienceId: string
let contactId: string
let automationId: string
let version: Version
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsWithWorker)
  audienceId = await audience(gateway)
  automationId = await published(audienceId)
  contactId = (await subscriber(gateway, audienceId)).contactId
})
afterAll(() => gateway.close())

const call = (method: string, path: string, { as = 'editor', body }: { as?: string; body?: object } = {}) =>
  gateway.call(method, path, { as, ...(body === undefined ? {} : { body }) })

/** Everybody who subscribes to the audience waits for a day. */
const definitionOf = (audience_id: string) => ({
  trigger: { type: 'audience_subscribed', config: { audience_id } },
  start_node: 'wait',
  nodes: [
    { key: 'wait', type: 'wait_duration', config: { seconds: 86_400 } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [{ from: 'wait', to: 'end', branch: 'default' }],
})

async function published(of: string): Promise<string> {
  const body = { name: 'Welcome', slug: `e-${randomUUID().slice(0, 8)}`, definition: definitionOf(of) }
  const { json } = await call('POST', `${newsletter}/automations`, { body })
  const { id, selected_version: current } = json['automation'] as { id: string; selected_version: Version }
  version = current
  const { id: version_id, definition_checksum } = current
  await call('POST', `${newsletter}/automations/${id}/ready-for-review`, { body: { version_id, definition_checksum } })
  const console = `${newsletter.replace('/api/v1', '/console/api')}/automations/${id}`
  const editor = await signIn(gateway, 'editor')
  const answer = await editor.call('POST', `${console}/publish`)
  if (answer.status !== 200) throw new Error(`publish answered ${answer.status}: ${answer.text}`)
  return id
}

const list = async (id: string, as = 'analyst') => {
  const { status, json } = await call('GET', `${newsletter}/automations/${id}/enrollments`, { as })
  expect(status).toBe(200)
  return json as unknown as { enrollments: Enrollment[] }
}
/** The one enrollment, once the trigger has enrolled the contact. */
const enrolled = () =>
  until(async () => {
    const { enrollments } = await list(automationId)
    return enrollments[0]
  })

test('a subscription appears in the list of the automation, as a real enrollment', async () => {
  await enrolled()
  const answer = await list(automationId)
  expect(answer).toEqual({
    enrollments: [
      {
        id: expect.any(String),
        workspace_id: expect.any(String),
        automation_id: automationId,
        automation_version_id: version.id,
        state: expect.stringMatching(/^(active|waiting)$/),
        synthetic: false,
        enrolled_at: expect.any(String),
        provider_calls: 0,
        webhook_calls: 0,
        current_node_key: 'wait',
        completed_at: null,
      },
    ],
    synthetic_only: true,
    production_enrollment_available: false,
    next_cursor: null,
  })
})

test('the console lists the people in an automation by address, only to members of the workspace', async () => {
  const { id } = await enrolled()
  const analyst = await signIn(gateway, 'analyst')
  const atConsole = newsletter.replace('/api/v1', '/console/api')
  const { json: profile } = await analyst.call('GET', `${atConsole}/contacts/${contactId}`)
  const { email } = profile['contact'] as { email: string }
  const path = `${atConsole}/automations/${automationId}/enrollments`
  const first = await analyst.call('GET', `${path}?limit=1`)
  expect(first.json).toEqual({
    enrollments: [
      {
        id,
        contact_id: contactId,
        email,
        state: expect.stringMatching(/^(active|waiting)$/),
        synthetic: false,
        enrolled_at: expect.any(String),
        provider_calls: 0,
        current_node_key: 'wait',
        completed_at: null,
      },
    ],
    next_cursor: null,
  })
  expect((await analyst.call('GET', `${path}?limit=201`)).status).toBe(422)
  expect((await analyst.call('GET', path.replace(automationId, randomUUID()))).status).toBe(404)
  expect((await analyst.call('GET', path.replace('newsletter', 'product'))).status).toBe(404)
  const outsider = await signIn(gateway, 'outsider')
  expect((await outsider.call('GET', path)).status).toBe(404)
})

test('an enrollment is read with its timeline', async () => {
  const { id } = await enrolled()
  const { status, json } = await call('GET', `${newsletter}/automation-enrollments/${id}`, { as: 'analyst' })
  expect(status).toBe(200)
  expect(json['enrollment']).toMatchObject({
    id,
    automation_id: automationId,
    synthetic: false,
    events: [
      {
        event: 'enrolled',
        actor: null,
        reason: null,
        step_id: null,
        contact_id: contactId,
        trigger_type: 'audience_subscribed',
        audience_id: audienceId,
      },
    ],
    steps: [{ number: 1, node_key: 'wait', node_type: 'wait_duration', outcome: null, reasons: [], finished_at: null }],
  })
})

test('an automation without enrollments has an empty list', async () => {
  const other = await published(await audience(gateway))
  expect((await list(other)).enrollments).toEqual([])
})

test('unknown ids are 404, and so is an enrollment or automation in the path of another workspace', async () => {
  const { id } = await enrolled()
  const product = newsletter.replace('newsletter', 'product')
  const paths = [
    `${newsletter}/automations/${randomUUID()}/enrollments`,
    `${newsletter}/automations/no-id/enrollments`,
    `${newsletter}/automation-enrollments/${randomUUID()}`,
    `${newsletter}/automation-enrollments/${automationId}`,
    `${newsletter}/automation-enrollments/no-id`,
    `${product}/automations/${automationId}/enrollments`,
    `${product}/automation-enrollments/${id}`,
  ]
  for (const path of paths) {
    const { status, headers } = await call('GET', path, { as: 'owner' })
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
  }
  const foreign = `/api/v1/organizations/globex/workspaces/main/automation-enrollments/${id}`
  expect((await call('GET', foreign, { as: 'outsider' })).status).toBe(404)
})

test('the counts of a version are read at the console', async () => {
  await enrolled()
  const { json: read } = await call('GET', `${newsletter}/automations/${automationId}`)
  const { id: versionId } = (read['automation'] as { selected_version: Version }).selected_version
  const path = `${newsletter.replace('/api/v1', '/console/api')}/automations/${automationId}/versions/${versionId}/counts`
  const analyst = await signIn(gateway, 'analyst')
  const { status, json } = await analyst.call('GET', path)
  expect(status).toBe(200)
  expect(json['counts']).toMatchObject({
    automation_id: automationId,
    automation_version_id: versionId,
    nodes: [
      { node_key: 'wait', node_type: 'wait_duration', passed: 0 },
      { node_key: 'end', node_type: 'end', waiting: 0 },
    ],
  })
  expect((await analyst.call('GET', path.replace(versionId, randomUUID()))).status).toBe(404)
})

const control = (id: string, action: string, { as = 'admin', body }: { as?: string; body?: object } = {}) =>
  call('POST', `${newsletter}/automation-enrollments/${id}/${action}`, { as, ...(body === undefined ? {} : { body }) })

test('an enrollment is paused, resumed and cancelled, with or without a body', async () => {
  const { id } = await enrolled()
  const paused = await control(id, 'pause', { body: { reason: 'Asked by support', step_id: null } })
  expect([paused.status, paused.json['enrollment']]).toEqual([200, expect.objectContaining({ id, state: 'paused' })])
  const { events } = paused.json['enrollment'] as { events: object[] }
  expect(events.at(-1)).toMatchObject({ event: 'paused', reason: 'Asked by support' })
  const repeated = await control(id, 'pause')
  expect([repeated.status, repeated.headers.get('x-error-reason')]).toEqual([409, 'enrollment_state'])
  const resumed = await control(id, 'resume', { body: { reason: null } })
  expect([resumed.status, resumed.json['enrollment']]).toEqual([200, expect.objectContaining({ state: 'active' })])
  expect((await control(id, 'replay')).status).toBe(409)
  const cancelled = await control(id, 'cancel', { as: 'owner' })
  expect([cancelled.status, cancelled.json['enrollment']]).toEqual([
    200,
    expect.objectContaining({ state: 'cancelled', current_node_key: null }),
  ])
})

test('only roles with pause_delivery control an enrollment, and nobody in an archived workspace', async () => {
  const { id } = await enrolled()
  for (const as of ['editor', 'analyst']) expect((await control(id, 'pause', { as })).status).toBe(403)
  const archived = `${lab}/automation-enrollments/${id}/pause`
  expect((await call('POST', archived, { as: 'owner' })).status).toBe(403)
})

test('an unknown action or enrollment is 404, and a reason that is too long is 422', async () => {
  const { id } = await enrolled()
  for (const [of, action] of [
    [id, 'stop'],
    [randomUUID(), 'pause'],
    ['no-id', 'pause'],
  ] as const)
    expect((await control(of, action)).status).toBe(404)
  expect((await control(id, 'cancel', { body: { reason: 'a'.repeat(501) } })).status).toBe(422)
})

test('while the switch is off a control is 409', async () => {
  const { id } = await enrolled()
  const switched = (isOn: boolean) =>
    gateway.stage.query(`update identity.platform_gates set stored = $1 where name = 'automation_enabled'`, [isOn])
  await switched(false)
  const { status, headers } = await control(id, 'cancel')
  await switched(true)
  expect([status, headers.get('x-error-reason')]).toEqual([409, 'automation_enabled'])
})
