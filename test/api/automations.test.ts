// Over 300 lines because a second file would start the same services again.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, readySender, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { schemasOf } from '@lettergate/gateway/validate'
import { automationsServices } from './automations-services.ts'

interface Automation {
  id: string
  status: string
  current_version: number
  review_ready_version: number | null
  review_ready_by_wallet_id: string | null
  review_ready_at: string | null
  selected_version: Version & {
    definition: object
    validation: { dependencies: object[]; dependency_counts: object; warnings: string[] }
    preview: { steps: { node_key: string; after_seconds: number }[]; estimate: object | null }
  }
  versions: Version[]
}
interface Version {
  id: string
  version: number
  definition_checksum: string
}

let gateway: GatewayStage
let editor: Browser
let ids: { audience: string; sender: string; content: string }
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsServices)
  await readySender(gateway, newsletter)
  const [sender] = await gateway.stage.query<{ id: string }>('select id from sending.sender_identities')
  const { email_template: template } = await post('/email-templates', { name: 'Welcome', slug: 'welcome' })
  const { content_version: content } = await post(`/email-templates/${template!.id}/versions`, {
    subject: 'Welcome',
    html: '<p>Welcome <a href="{{ unsubscribe_url }}">leave</a></p>',
  })
  const audienceId = await audience(gateway)
  await subscriber(gateway, audienceId, { tags: ['vip'] })
  editor = await signIn(gateway, 'editor')
  ids = { audience: audienceId, sender: sender!.id, content: content!.id }
})
afterAll(() => gateway.close())

const call = (method: string, path: string, body?: unknown, as = 'editor') =>
  gateway.call(method, `${newsletter}${path}`, { as, ...(body === undefined ? {} : { body }) })

/** Answers the resource of a request that must succeed. */
async function post(path: string, body?: unknown) {
  const answer = await call('POST', path, body)
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  return answer.json as Record<string, { id: string }>
}
const automationOf = (json: Record<string, unknown>) => json['automation'] as Automation

const simple = {
  trigger: { type: 'manual', config: {} },
  start_node: 'end',
  nodes: [{ key: 'end', type: 'end', config: {} }],
  edges: [],
}
const request = (more: object = {}) => ({
  name: 'Welcome',
  slug: `a-${randomUUID().slice(0, 8)}`,
  definition: simple,
  ...more,
})
const created = async (more: object = {}) => automationOf(await post('/automations', request(more)))
const read = async (id: string) => automationOf((await call('GET', `/automations/${id}`, undefined, 'analyst')).json)
/** A definition with one decision. */
const comparing = (all: object[]) => ({
  ...simple,
  start_node: 'which',
  nodes: [{ key: 'which', type: 'decision', config: {} }, ...simple.nodes],
  edges: [
    { from: 'which', to: 'end', branch: 'default' },
    { from: 'which', to: 'end', branch: 'yes', condition: { all } },
  ],
})
const comparison = (values: number, characters: number) => ({
  field: 'company',
  operator: 'in',
  value: Array.from({ length: values }, () => 'a'.repeat(characters)),
})
const mark = (id: string, version: { id: string; definition_checksum: string }) =>
  call('POST', `/automations/${id}/ready-for-review`, {
    version_id: version.id,
    definition_checksum: version.definition_checksum,
  })

const welcome = () => ({
  trigger: { type: 'audience_subscribed', config: { audience_id: ids.audience } },
  start_node: 'wait',
  nodes: [
    { key: 'wait', type: 'wait_duration', config: { seconds: 3_600 } },
    { key: 'vip', type: 'decision', config: {} },
    { key: 'mail', type: 'send_email', config: { content_version_id: ids.content, sender_identity_id: ids.sender } },
    { key: 'end', type: 'end', config: {} },
  ],
  edges: [
    { from: 'wait', to: 'vip', branch: 'default' },
    { from: 'vip', to: 'mail', branch: 'vip', condition: { tag: 'vip', operator: 'exists' } },
    { from: 'vip', to: 'end', branch: 'default' },
    { from: 'mail', to: 'end', branch: 'default' },
  ],
})

test('an automation is created as a draft with its checked definition, its checksum, what it names, and a preview', async () => {
  const slug = `a-${randomUUID().slice(0, 8)}`
  const automation = await created({ slug, definition: welcome(), description: 'Greets', change_notes: 'First' })
  expect(automation).toMatchObject({
    name: 'Welcome',
    slug,
    description: 'Greets',
    status: 'draft',
    current_version: 1,
    review_ready_version: null,
    review_ready_by_wallet_id: null,
    review_ready_at: null,
    authoring_only: true,
    execution_available: false,
    activation_available: false,
    enrollment_available: false,
  })
  const { selected_version: version, versions } = automation
  expect(version).toMatchObject({
    version: 1,
    trigger_type: 'audience_subscribed',
    definition_checksum: sha256Of(welcome()),
    change_notes: 'First',
    definition: welcome(),
  })
  expect(version.validation).toEqual({
    valid: true,
    structural_errors: [],
    dependencies: [
      expect.objectContaining({ type: 'audience', id: ids.audience }),
      expect.objectContaining({ type: 'tag', name: 'vip' }),
      { type: 'content_version', id: ids.content, subject: 'Welcome' },
      expect.objectContaining({ type: 'sender_identity', id: ids.sender }),
    ],
    dependency_counts: { audiences: 1, tags: 1, contact_fields: 0, content_versions: 1, sender_identities: 1 },
    warnings: [expect.stringContaining('is not enabled')],
    authoring_only: true,
    execution_available: false,
  })
  expect(version.preview.steps.map(({ node_key, after_seconds }) => [node_key, after_seconds])).toEqual([
    ['wait', 0],
    ['vip', 3_600],
    ['mail', 3_600],
    ['end', 3_600],
  ])
  expect(version.preview.estimate).toEqual({ contacts: 1, basis: 'active members of the audience' })
  expect(versions).toHaveLength(1)
  expect(await read(automation.id)).toEqual(automation)
})

test('the versions of automations, with and without an estimate, fit the schema of the document', async () => {
  const isVersion = schemasOf('public').compile(['components', 'schemas', 'AutomationVersion'])
  for (const definition of [simple, welcome()]) {
    isVersion((await created({ definition })).selected_version)
    expect(isVersion.errors ?? []).toEqual([])
  }
})

test('the list has every automation without versions, and the platform switch', async () => {
  const automation = await created()
  const { json } = await call('GET', '/automations', undefined, 'analyst')
  expect(json).toMatchObject({ authoring_only: true, execution_available: false, runtime_enabled: true })
  const [first] = json['automations'] as Record<string, unknown>[]
  expect(first).toMatchObject({ id: automation.id, status: 'draft' })
  expect(first).not.toHaveProperty('versions')
  await gateway.stage.query(`update identity.platform_gates set stored = false where name = 'automation_enabled'`)
  expect((await call('GET', '/automations')).json).toMatchObject({ runtime_enabled: false })
  await gateway.stage.query(`update identity.platform_gates set stored = true where name = 'automation_enabled'`)
})

test('a slug is taken for ever, also by an archived automation', async () => {
  const body = request()
  const { automation } = await post('/automations', body)
  await post(`/automations/${automation!.id}/archive`)
  const again = await call('POST', '/automations', body)
  expect([again.status, again.headers.get('x-error-reason')]).toEqual([409, 'slug'])
})

test.each<[string, () => object]>([
  [
    'closes a cycle',
    () => ({
      ...simple,
      nodes: [{ key: 'end', type: 'decision', config: {} }],
      edges: [{ from: 'end', to: 'end', branch: 'default' }],
    }),
  ],
  ['config.seconds is required', () => ({ ...simple, nodes: [{ key: 'end', type: 'wait_duration', config: {} }] })],
  [
    'The audience',
    () => ({ ...simple, trigger: { type: 'audience_subscribed', config: { audience_id: randomUUID() } } }),
  ],
  ['The tag &quot;nobody&quot;', () => ({ ...simple, trigger: { type: 'tag_added', config: { tag: 'nobody' } } })],
  [
    'The custom field &quot;age&quot;',
    () => ({ ...simple, trigger: { type: 'contact_field_changed', config: { field: 'custom.age' } } }),
  ],
  [
    'The content version',
    () => ({
      ...simple,
      nodes: [
        {
          key: 'end',
          type: 'send_email',
          config: { content_version_id: randomUUID(), sender_identity_id: ids.sender },
        },
      ],
    }),
  ],
  [
    'The sender identity',
    () => ({
      ...simple,
      nodes: [
        {
          key: 'end',
          type: 'send_email',
          config: { content_version_id: ids.content, sender_identity_id: randomUUID() },
        },
      ],
    }),
  ],
  [
    'of the type text',
    () => ({ ...simple, nodes: [{ key: 'end', type: 'wait_until_date', config: { field: 'locale' } }] }),
  ],
  ['compare 600 values', () => comparing(Array.from({ length: 6 }, () => comparison(100, 2)))],
  ['Send at most 262144', () => comparing(Array.from({ length: 6 }, () => comparison(100, 500)))],
])('a definition is 422 at creation and at append, with a page that says: %s', async (named, definition) => {
  const automation = await created()
  for (const [path, body] of [
    ['/automations', request({ definition: definition() })],
    [`/automations/${automation.id}/versions`, { definition: definition() }],
  ] as const) {
    const answer = await call('POST', path, body)
    expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([422, 'invalid_definition'])
    expect(answer.text).toContain(named)
  }
  expect((await read(automation.id)).current_version).toBe(1)
})

test('an archived audience cannot be named, and content without an unsubscribe link is a warning', async () => {
  const archived = await audience(gateway)
  await call('POST', `/audiences/${archived}/archive`, undefined, 'owner')
  const trigger = { type: 'audience_subscribed', config: { audience_id: archived } }
  expect((await call('POST', '/automations', request({ definition: { ...simple, trigger } }))).text).toContain(
    'is archived',
  )

  const { email_template: template } = await post('/email-templates', { name: 'Bare', slug: 'bare' })
  const { content_version: bare } = await post(`/email-templates/${template!.id}/versions`, {
    subject: 'Bare',
    html: '<p>Hi</p>',
  })
  const mail = {
    key: 'end',
    type: 'send_email',
    config: { content_version_id: bare!.id, sender_identity_id: ids.sender },
  }
  const { selected_version: version } = await created({ definition: { ...simple, nodes: [mail] } })
  expect(version.validation.warnings.join()).toContain('has no unsubscribe link')
})

test('a new version becomes the current one, resets the review, and leaves the earlier one as it was', async () => {
  const automation = await created()
  expect((await mark(automation.id, automation.selected_version)).status).toBe(200)
  const appended = automationOf(
    await post(`/automations/${automation.id}/versions`, { definition: welcome(), change_notes: 'Mail' }),
  )
  expect(appended).toMatchObject({
    status: 'draft',
    current_version: 2,
    review_ready_version: null,
    review_ready_at: null,
  })
  expect(appended.selected_version).toMatchObject({ version: 2, change_notes: 'Mail', definition: welcome() })
  expect(appended.versions.map(({ version }) => version)).toEqual([2, 1])

  const one = await call(
    'GET',
    `/automations/${automation.id}/versions/${automation.selected_version.id}`,
    undefined,
    'analyst',
  )
  expect(one.json['version']).toEqual(automation.selected_version)
  await expect(gateway.stage.query('update automations.automation_versions set version = 9')).rejects.toThrow(
    /never changed/,
  )
})

test('only the current version with its checksum is marked as ready for review, and a repeat keeps the mark', async () => {
  const { id, selected_version: first } = await created()
  const { selected_version: second } = automationOf(
    await post(`/automations/${id}/versions`, { definition: welcome() }),
  )
  for (const [reason, wrong] of [
    ['version_id', first],
    ['version_id', { ...second, id: randomUUID() }],
    ['definition_checksum', { ...second, definition_checksum: first.definition_checksum }],
  ] as const) {
    const answer = await mark(id, wrong)
    expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([422, reason])
  }
  const marked = automationOf((await mark(id, second)).json)
  expect(marked).toMatchObject({ status: 'ready_for_review', review_ready_version: 2 })
  expect([marked.review_ready_by_wallet_id, marked.review_ready_at]).toEqual([expect.any(String), expect.any(String)])
  expect(automationOf((await mark(id, second)).json)).toEqual(marked)
})

test('an automation is archived in any status, once, and only an archived one is restored, as a draft', async () => {
  const { id, selected_version: version } = await created()
  const restoredEarly = await call('POST', `/automations/${id}/restore`)
  expect([restoredEarly.status, restoredEarly.headers.get('x-error-reason')]).toEqual([422, 'automation_status'])
  await mark(id, version)
  expect(automationOf(await post(`/automations/${id}/archive`))).toMatchObject({ status: 'archived' })
  expect(automationOf(await post(`/automations/${id}/archive`))).toMatchObject({ status: 'archived' })
  const marked = await mark(id, version)
  expect([marked.status, marked.headers.get('x-error-reason')]).toEqual([422, 'automation_status'])
  expect(automationOf(await post(`/automations/${id}/restore`))).toMatchObject({
    status: 'draft',
    review_ready_version: null,
  })
  expect((await call('POST', `/automations/${id}/restore`)).status).toBe(422)
})

const inConsole = (path: string) =>
  editor.call('POST', `/console/api/organizations/acme/workspaces/newsletter/automations/${path}`)

test('an automation is published after its review and while it is paused, paused while it is published, and only at the console', async () => {
  const { id, selected_version: version } = await created({ definition: welcome() })
  const refused = async (action: string) => {
    const answer = await inConsole(`${id}/${action}`)
    expect([action, answer.status, answer.headers.get('x-error-reason')]).toEqual([action, 422, 'automation_status'])
  }
  await refused('publish')
  await refused('pause')
  await mark(id, version)
  await refused('pause')
  const published = await inConsole(`${id}/publish`)
  expect([published.status, automationOf(published.json).status]).toEqual([200, 'published'])
  expect(published.json['automation']).toEqual(await read(id))
  await refused('publish')
  expect(automationOf((await inConsole(`${id}/pause`)).json).status).toBe('paused')
  await refused('pause')
  expect(automationOf((await inConsole(`${id}/publish`)).json).status).toBe('published')
  const appended = automationOf(await post(`/automations/${id}/versions`, { definition: welcome() }))
  expect(appended.status).toBe('draft')
  await refused('publish')
  await post(`/automations/${id}/archive`)
  await refused('publish')
  for (const action of ['publish', 'pause'])
    expect((await call('POST', `/automations/${id}/${action}`)).status).toBe(404)
})

test('the automations of another workspace look like missing ones', async () => {
  const { id, selected_version: version } = await created()
  const other = newsletter.replace('newsletter', 'product')
  const body = { version_id: version.id, definition_checksum: version.definition_checksum }
  for (const [method, path, sent] of [
    ['GET', '', undefined],
    ['GET', `/versions/${version.id}`, undefined],
    ['POST', '/versions', { definition: simple }],
    ['POST', '/ready-for-review', body],
    ['POST', '/archive', undefined],
    ['POST', '/restore', undefined],
  ] as const) {
    const answer = await gateway.call(method, `${other}/automations/${id}${path}`, {
      as: 'owner',
      ...(sent ? { body: sent } : {}),
    })
    expect([path, answer.status]).toEqual([path, 404])
  }
  const listed = (await gateway.call('GET', `${other}/automations`, { as: 'owner' })).json['automations'] as {
    id: string
  }[]
  expect(listed.map((one) => one.id)).not.toContain(id)
  expect((await read(id)).status).toBe('draft')
})

test('each change is in the audit log with its actor', async () => {
  const { id, selected_version: version } = await created()
  await mark(id, version)
  await post(`/automations/${id}/versions`, { definition: simple })
  await post(`/automations/${id}/archive`)
  await post(`/automations/${id}/restore`)
  const actions = await gateway.stage.query<{ payload: Buffer }>(
    `select payload from automations.outbox where event = 'audit_recorded' order by id`,
  )
  const texts = actions.map(({ payload }) => payload.toString('latin1')).filter((text) => text.includes(id))
  expect(texts.map((text) => /automation_\w+/.exec(text)![0])).toEqual([
    'automation_created',
    'automation_review_requested',
    'automation_version_created',
    'automation_archived',
    'automation_restored',
  ])
})
