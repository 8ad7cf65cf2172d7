import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@lettergate/automations/config'
import { start } from '@lettergate/automations/service'
import { signIn } from '@lettergate/gateway/test/console-session'
import { gatewayStage, lab, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { automationsServices } from './automations-services.ts'

interface Version {
  id: string
  definition_checksum: string
}

let gateway: GatewayStage
let owner: Awaited<ReturnType<typeof signIn>>
let path: string
let contactId: string
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsServices)
  owner = await signIn(gateway, 'owner')
  path = await versionPath(lab)
  contactId = await contact(lab)
})
afterAll(() => gateway.close())

const call: GatewayStage['call'] = (method, to, options) => gateway.call(method, to, options)

const definition = {
  trigger: { type: 'manual', config: {} },
  start_node: 'wait',
  nodes: [
    { key: 'wait', type: 'wait_duration', config: { seconds: 86_400 } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [{ from: 'wait', to: 'end', branch: 'default' }],
}

/** The path of the enrollments of a new version, which is published unless it is a draft. */
async function versionPath(workspace: string, { isDraft = false } = {}): Promise<string> {
  const body = { name: 'Year', slug: `y-${randomUUID().slice(0, 8)}`, definition }
  const { json } = await call('POST', `${workspace}/automations`, { as: 'owner', body })
  const { id, selected_version: version } = json['automation'] as { id: string; selected_version: Version }
  if (!isDraft) {
    const review = { version_id: version.id, definition_checksum: version.definition_checksum }
    await call('POST', `${workspace}/automations/${id}/ready-for-review`, { as: 'owner', body: review })
    const { status } = await owner.call(
      'POST',
      `${workspace.replace('/api/v1', '/console/api')}/automations/${id}/publish`,
    )
    expect(status).toBe(200)
  }
  return `${workspace}/automations/${id}/versions/${version.id}/synthetic-enrollments`
}
async function contact(workspace: string): Promise<string> {
  const body = {
    email: `${randomUUID()}@rehearsal.invalid`,
    source: 'test',
    source_metadata: { synthetic_context_id: 'rehearsal-1' },
  }
  const { json } = await call('POST', `${workspace}/contacts/upsert`, { as: 'owner', body })
  return (json['contact'] as { id: string }).id
}
interface Asked {
  as?: string
  /** no header if it is empty */
  key?: string
  contact_id?: string
  at?: GatewayStage['call']
  body?: object
}
const enroll = (
  to: string,
  { as = 'owner', key = randomUUID() as string, contact_id = contactId, at = call, body = {} }: Asked = {},
) =>
  at('POST', to, {
    as,
    headers: key === '' ? {} : { 'idempotency-key': key },
    body: { contact_id, synthetic_context_id: 'rehearsal-1', ...body },
  })

test('a synthetic contact is enrolled, listed and read, and a repeated key answers the original', async () => {
  const key = randomUUID()
  const first = await enroll(path, { key })
  expect(first.status).toBe(200)
  const enrollment = first.json['enrollment'] as { id: string; automation_id: string }
  expect(enrollment).toMatchObject({
    state: 'active',
    synthetic: true,
    provider_calls: 0,
    webhook_calls: 0,
    current_node_key: 'wait',
    events: [{ event: 'enrolled', contact_id: contactId, trigger_type: 'manual' }],
    steps: [{ node_key: 'wait', outcome: null }],
  })
  expect((await enroll(path, { key })).json).toEqual(first.json)
  const { json: list } = await call('GET', `${lab}/automations/${enrollment.automation_id}/enrollments`, {
    as: 'owner',
  })
  expect(list['enrollments']).toMatchObject([{ id: enrollment.id, synthetic: true }])
  const { json: read } = await call('GET', `${lab}/automation-enrollments/${enrollment.id}`, { as: 'owner' })
  expect(read).toEqual(first.json)

  const other = await enroll(path, { key, body: { synthetic_context_id: 'rehearsal-2' } })
  expect([other.status, other.headers.get('x-error-reason')]).toEqual([409, 'idempotency_key'])
  const again = await enroll(path)
  expect([again.status, again.headers.get('x-error-reason')]).toEqual([409, 'contact_enrolled'])
})

test('without a key, without a field and for another rehearsal it is 422', async () => {
  const to = await versionPath(lab)
  for (const wrong of [
    { key: '' },
    { key: 'k'.repeat(201) },
    { body: { synthetic_context_id: '' } },
    { body: { contact_id: 'no-id' } },
    { body: { synthetic_context_id: 'rehearsal-2' } },
  ])
    expect([wrong, (await enroll(to, wrong)).status]).toEqual([wrong, 422])
})

test('a draft enrols nobody, and a version that does not exist is 404 before anything else is looked at', async () => {
  const draft = await versionPath(lab, { isDraft: true })
  const refused = await enroll(draft, { contact_id: await contact(lab) })
  expect([refused.status, refused.headers.get('x-error-reason')]).toEqual([422, 'automation_status'])
  const elsewhere = await versionPath(newsletter)
  expect((await enroll(elsewhere.replace(/[^/]+(?=\/synthetic)/, randomUUID()))).status).toBe(404)
})

test('a workspace that sends refuses every synthetic enrollment, and people without access see nothing', async () => {
  const to = await versionPath(newsletter)
  const { status, headers } = await enroll(to, { contact_id: await contact(newsletter) })
  expect([status, headers.get('x-error-reason')]).toEqual([422, 'workspace_not_synthetic'])
  expect((await enroll(to, { as: 'analyst' })).status).toBe(403)
  expect((await enroll(path, { as: 'outsider' })).status).toBe(404)
  const foreign = to.replace(newsletter, lab)
  expect((await enroll(foreign)).status).toBe(404)
})

test('in production it is 422, also for the key of an earlier enrollment', async () => {
  const key = randomUUID()
  const to = await versionPath(lab)
  const contact_id = await contact(lab)
  expect((await enroll(to, { key, contact_id })).status).toBe(200)
  const { rpcPort } = await gateway.replica({ DEPLOYMENT_ENVIRONMENT: 'production' })
  const automations = await gateway.stage.boot('automations', start, loadConfig, {
    ...gateway.targets,
    IDENTITY_TARGET: `127.0.0.1:${rpcPort}`,
    CAMPAIGNS_DELIVERY_TARGET: '127.0.0.1:9',
    CAMPAIGNS_WORKER_TARGET: '127.0.0.1:9',
    ROLE: 'api',
  })
  const production = await gateway.replica({
    DEPLOYMENT_ENVIRONMENT: 'production',
    AUTOMATIONS_TARGET: `127.0.0.1:${automations.rpcPort}`,
  })
  for (const again of [
    { key, contact_id },
    { key: randomUUID(), contact_id: await contact(lab) },
  ]) {
    const { status, headers } = await enroll(to, { ...again, at: production.call })
    expect([status, headers.get('x-error-reason')]).toEqual([422, 'synthetic_in_production'])
  }
})

test('a run with a virtual clock is a console operation, and has the same timeline each time', async () => {
  const to = (await versionPath(lab, { isDraft: true }))
    .replace('/api/v1', '/console/api')
    .replace(/synthetic-enrollments$/, 'synthetic-runs')
  const run = (body: object = {}, key: string = randomUUID()) =>
    owner.call('POST', to, {
      headers: key === '' ? {} : { 'idempotency-key': key },
      body: { contact_id: contactId, synthetic_context_id: 'rehearsal-1', starts_at: '2027-01-01T09:00:00Z', ...body },
    })
  const first = await run()
  expect([first.status, first.json['enrollment']]).toMatchObject([
    200,
    {
      state: 'completed',
      synthetic: true,
      enrolled_at: '2027-01-01T09:00:00.000Z',
      completed_at: '2027-01-02T09:00:00.000Z',
    },
  ])
  const timeline = ({ json }: typeof first) => {
    const { events, steps } = json['enrollment'] as { events: object[]; steps: object[] }
    return { events, steps }
  }
  expect(timeline(await run())).toEqual(timeline(first))
  for (const [body, key] of [
    [{}, ''],
    [{ starts_at: '1999-01-01T00:00:00Z' }],
    [{ starts_at: 'tomorrow' }],
    [{ synthetic_context_id: 'rehearsal-2' }],
  ] as const)
    expect([body, (await run(body, key)).status]).toEqual([body, 422])
})
