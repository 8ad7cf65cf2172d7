import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, lab, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { until } from '@lettergate/stage'
import { automationsWithWorker } from './automations-services.ts'

const product = newsletter.replace('newsletter', 'product')
const rehearsal = 'rehearsal-1'

interface Enrollment {
  id: string
  state: string
  provider_calls: number
  steps: { node_key: string; outcome: string | null }[]
}
interface Published {
  id: string
  versionId: string
  tag: string
}

let gateway: GatewayStage
let owner: Browser
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsWithWorker)
  owner = await signIn(gateway, 'owner')
})
afterAll(() => gateway.close())

const atConsole = (path: string) => path.replace('/api/v1', '/console/api')
const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  gateway.call(method, path, { as: 'owner', headers, ...(body === undefined ? {} : { body }) })
async function ok<T>(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<T> {
  const { status, json, text } = await call(method, path, body, headers)
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return json as T
}
const key = () => ({ 'idempotency-key': randomUUID() })

/** Publishes an automation whose contacts wait for a day first, if wanted, and then get a score and a tag. */
async function published(workspace: string, { waits = false } = {}): Promise<Published> {
  const tag = `t-${randomUUID().slice(0, 8)}`
  for (const name of [tag, 'done']) await owner.call('POST', `${atConsole(workspace)}/tags`, { body: { name } })
  const wait = { key: 'wait', type: 'wait_duration', config: { seconds: 86_400 } }
  const nodes = [
    ...(waits ? [wait] : []),
    { key: 'score', type: 'adjust_score', config: { amount: 5 } },
    { key: 'tag', type: 'add_tag', config: { tag: 'done' } },
    { key: 'end', type: 'end', config: {} },
  ]
  const definition = {
    trigger: { type: 'tag_added', config: { tag } },
    start_node: nodes[0]!.key,
    nodes,
    edges: nodes.slice(1).map(({ key: to }, index) => ({ from: nodes[index]!.key, to, branch: 'default' })),
  }
  const { automation } = await ok<{
    automation: { id: string; selected_version: { id: string; definition_checksum: string } }
  }>('POST', `${workspace}/automations`, { name: 'A', slug: `x-${randomUUID().slice(0, 8)}`, definition })
  const { id: versionId, definition_checksum } = automation.selected_version
  const review = { version_id: versionId, definition_checksum }
  await ok('POST', `${workspace}/automations/${automation.id}/ready-for-review`, review)
  const answer = await owner.call('POST', `${atConsole(workspace)}/automations/${automation.id}/publish`)
  expect([answer.status, answer.json['automation']]).toMatchObject([200, { status: 'published' }])
  return { id: automation.id, versionId, tag }
}
async function contact(workspace: string, more: object): Promise<string> {
  const body = { source: 'test', email: `${randomUUID()}@b.test`, ...more }
  return (await ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, body)).contact.id
}
const synthetic = (workspace: string) =>
  contact(workspace, {
    email: `${randomUUID()}@rehearsal.invalid`,
    source_metadata: { synthetic_context_id: rehearsal },
  })
/** A new contact who gets this tag at the console, which is what the trigger is about. */
async function tagged(workspace: string, tag: string): Promise<void> {
  const path = `${atConsole(workspace)}/contacts/${await contact(workspace, {})}/tags`
  const { status } = await owner.call('POST', path, { body: { tag } })
  expect(status).toBe(200)
}
const read = async (workspace: string, id: string) =>
  (await ok<{ enrollment: Enrollment }>('GET', `${workspace}/automation-enrollments/${id}`)).enrollment
const inState = (workspace: string, { id }: Published, state: string) =>
  until(
    async () => {
      const { enrollments } = await ok<{ enrollments: Enrollment[] }>(
        'GET',
        `${workspace}/automations/${id}/enrollments`,
      )
      return enrollments[0]?.state === state && enrollments[0]
    },
    { what: `an enrollment that is ${state}` },
  )
const allRows = async () =>
  (
    await gateway.stage.query<{ rows: number }>(
      `select (select count(*) from automations.enrollments) + (select count(*) from automations.enrollment_events)
            + (select count(*) from automations.enrollment_steps) as rows`,
    )
  )[0]!.rows

test('in an archived workspace an automation is published, and a worker does the steps of a synthetic enrollment to the end', async () => {
  const { id, versionId } = await published(lab)
  const contactId = await synthetic(lab)
  const { enrollment } = await ok<{ enrollment: Enrollment }>(
    'POST',
    `${lab}/automations/${id}/versions/${versionId}/synthetic-enrollments`,
    { contact_id: contactId, synthetic_context_id: rehearsal },
    key(),
  )
  const done = await until(async () => {
    const now = await read(lab, enrollment.id)
    return now.state === 'completed' && now
  })
  expect(done).toMatchObject({
    provider_calls: 0,
    steps: [
      { node_key: 'score', outcome: 'applied' },
      { node_key: 'tag', outcome: 'applied' },
      { node_key: 'end', outcome: 'completed' },
    ],
  })
})

test('real ids of another workspace are 404 for counts, runs, enrollments, controls and the timeline, and nothing changes', async () => {
  const ours = await published(newsletter, { waits: true })
  await tagged(newsletter, ours.tag)
  const { id: enrollmentId } = await inState(newsletter, ours, 'waiting')
  const before = await read(newsletter, enrollmentId)
  const rows = await allRows()
  const version = `/automations/${ours.id}/versions/${ours.versionId}`
  const rehearsing = { contact_id: await synthetic(lab), synthetic_context_id: rehearsal }
  const starting = { ...rehearsing, starts_at: '2027-01-01T09:00:00Z' }

  for (const other of [product, lab]) {
    expect((await owner.call('GET', `${atConsole(other)}${version}/counts`)).status).toBe(404)
    expect((await call('GET', `${other}/automation-enrollments/${enrollmentId}`)).status).toBe(404)
    expect((await call('GET', `${other}/automations/${ours.id}/enrollments`)).status).toBe(404)
  }
  const [run, enrolled] = [
    await owner.call('POST', `${atConsole(lab)}${version}/synthetic-runs`, { headers: key(), body: starting }),
    await call('POST', `${lab}${version}/synthetic-enrollments`, rehearsing, key()),
  ]
  expect([run.status, enrolled.status]).toEqual([404, 404])
  for (const action of ['pause', 'resume', 'cancel', 'replay']) {
    const answer = await call('POST', `${product}/automation-enrollments/${enrollmentId}/${action}`)
    expect([action, answer.status]).toEqual([action, 404])
  }
  expect(await read(newsletter, enrollmentId)).toEqual(before)
  expect(await allRows()).toBe(rows)
})

test('a contact of another workspace is not enrolled by a run', async () => {
  const ours = await published(lab)
  const rows = await allRows()
  const to = `/automations/${ours.id}/versions/${ours.versionId}`
  const body = { contact_id: await synthetic(newsletter), synthetic_context_id: rehearsal }
  const run = await owner.call('POST', `${atConsole(lab)}${to}/synthetic-runs`, {
    headers: key(),
    body: { ...body, starts_at: '2027-01-01T09:00:00Z' },
  })
  const enrolled = await call('POST', `${lab}${to}/synthetic-enrollments`, body, key())
  for (const { status, headers } of [run, enrolled])
    expect([status, headers.get('x-error-reason')]).toEqual([422, 'invalid_contact_id'])
  expect(await allRows()).toBe(rows)
})

test('an enrollment goes on to its end when its workspace is archived while the contact waits', async () => {
  const ours = await published(product, { waits: true })
  await tagged(product, ours.tag)
  const { id } = await inState(product, ours, 'waiting')
  const [workspace] = await gateway.stage.query<{ id: string }>(
    `update identity.workspaces set is_archived = true where slug = 'product' returning id`,
  )
  const workspaceId = workspace!.id
  await gateway.stage.publish(
    'gateway',
    WorkspaceChangedSchema,
    { workspaceId, organization: 'acme', workspace: 'product', name: 'Acme Product', isArchived: true },
    { workspaceId },
  )
  await until(
    async () =>
      (
        await gateway.stage.query('select from contacts.workspaces where workspace_id = $1 and is_archived', [
          workspaceId,
        ])
      ).length > 0,
  )
  expect((await call('POST', `${product}/automation-enrollments/${id}/cancel`)).status).toBe(403)
  gateway.stage.clock.advance(2 * 86_400_000)
  await inState(product, ours, 'completed')
  gateway.stage.clock.release()
  expect((await read(product, id)).steps.map(({ outcome }) => outcome)).toEqual([
    'waited',
    'applied',
    'applied',
    'completed',
  ])
})
