// Over 300 lines because a second file would start the same services again.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig as loadAutomations } from '@lettergate/automations/config'
import { schema as automationsSchema } from '@lettergate/automations/migrations'
import { start as startAutomations } from '@lettergate/automations/service'
import { loadConfig as loadCampaigns } from '@lettergate/campaigns-delivery/config'
import { schema as campaignsSchema } from '@lettergate/campaigns-delivery/migrations'
import { start as startCampaigns } from '@lettergate/campaigns-delivery/service'
import { newId } from '@lettergate/database'
import { signIn } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { programName } from '../src/config.ts'
import { exitCodes } from '../src/refusal.ts'
import { run } from '../src/run.ts'
import { copyOf, exportOf, newFolder, removeFolders } from './export-folder.ts'

let gateway: GatewayStage
let environment: Record<string, string>
beforeAll(async () => {
  const targets: Record<string, string> = {}
  gateway = await gatewayStage(
    {},
    {
      schemas: [campaignsSchema, automationsSchema],
      async boot(stage, given) {
        const settings = { ...given, BASE_URL: 'http://127.0.0.1:8080', ROLE: 'api' }
        const campaigns = await stage.boot('campaigns-delivery', startCampaigns, loadCampaigns, settings)
        targets['CAMPAIGNS_DELIVERY_TARGET'] = `127.0.0.1:${campaigns.rpcPort}`
        const automations = await stage.boot('automations', startAutomations, loadAutomations, {
          ...given,
          ...targets,
          CAMPAIGNS_WORKER_TARGET: '127.0.0.1:9',
        })
        targets['AUTOMATIONS_TARGET'] = `127.0.0.1:${automations.rpcPort}`
        return targets
      },
    },
  )
  environment = {
    DEPLOYMENT_ENVIRONMENT: 'test',
    ...targets,
    ...(await gateway.stage.certificate(programName)),
    IDENTITY_TARGET: gateway.targets['IDENTITY_TARGET']!,
    LOG_LEVEL: 'silent',
  }
})
afterAll(() => gateway.close())
afterEach(removeFolders)

async function program(args: string[], env: Record<string, string> = {}) {
  const printed: string[] = []
  const status = await run(args, { env: { ...environment, ...env }, print: (text) => void printed.push(text) })
  return { status, text: printed.join('') }
}

/** Every row that a reconstruction could write. */
const rows = async () =>
  (
    await gateway.stage.query(
      `select (select count(*) from campaigns.email_templates)::int as templates,
              (select count(*) from campaigns.content_versions)::int as contents,
              (select count(*) from automations.automations)::int as automations,
              (select count(*) from automations.automation_versions)::int as versions`,
    )
  )[0]

/** The mapping of an operator who prepared the workspace: an audience and a sender, which would need a provider. */
async function preparedMapping(): Promise<string> {
  const { json } = await gateway.call('POST', `${newsletter}/audiences`, {
    as: 'owner',
    body: { name: 'Newcomers', slug: 'newcomers', purpose: 'newsletter' },
  })
  const audience = (json['audience'] as { id: string }).id
  const [domainId, sender] = [newId(), newId()]
  await gateway.stage.query(
    `insert into sending.sending_domains (id, workspace_id, domain_name, provider_records, created_by)
     select $1, id, 'mail.museum.test', '[]', 'test' from identity.workspaces where slug = 'newsletter'`,
    [domainId],
  )
  await gateway.stage.query(
    `insert into sending.sender_identities (id, workspace_id, sending_domain_id, display_name, from_address, reply_to, created_by)
     select $1, workspace_id, id, 'Museum', 'a@mail.museum.test', 'a@mail.museum.test', 'test' from sending.sending_domains where id = $2`,
    [sender, domainId],
  )
  const path = join(newFolder(), 'mapping.json')
  writeFileSync(
    path,
    JSON.stringify({ audiences: { newcomers: audience, '7': audience }, senders: { museum: sender, default: sender } }),
  )
  return path
}

const automationsShown = async () => {
  const { json } = await gateway.call('GET', `${newsletter}/automations`, { as: 'editor' })
  return json['automations'] as { id: string; slug: string; status: string }[]
}

test('both examples become templates and drafts with provenance and review, and a repeat changes nothing', async () => {
  const mapping = await preparedMapping()
  const before = await rows()
  for (const example of ['harbour-mail', 'mautic'] as const) {
    const folder = copyOf(example)
    const first = await program([folder, '--operator', 'editor', '--mapping', mapping])
    expect(first).toEqual({
      status: exitCodes.done,
      text: expect.stringContaining('3 created, 0 appended, 0 unchanged, 0 refused'),
    })
    const stored = await rows()
    const again = await program([folder, '--operator', 'editor', '--mapping', mapping])
    expect(again).toEqual({
      status: exitCodes.done,
      text: expect.stringContaining('0 created, 0 appended, 3 unchanged'),
    })
    expect(await rows()).toEqual(stored)
  }
  expect(await rows()).not.toEqual(before)

  const shown = (await automationsShown()).find(({ slug }) => slug === 'mautic-campaign-3')!
  expect(shown.status).toBe('draft')
  const { json } = await gateway.call('GET', `${newsletter}/automations/${shown.id}`, { as: 'editor' })
  expect(json['automation']).toMatchObject({
    selected_version: {
      trigger_type: 'audience_subscribed',
      created_by_wallet_id: 'editor',
      validation: {
        valid: true,
        source_provenance: {
          source_system: 'mautic',
          source_object_type: 'campaign',
          source_object_id: 3,
          source_id: 'mautic:campaign:3',
          protected_source_outside_git: true,
          operator_review_required: true,
          source_hashes: { 'campaigns/3.json': expect.stringMatching(/^[0-9a-f]{64}$/) },
        },
        reconstruction_review: {
          mapped: expect.arrayContaining([{ source: 'event-15', kind: 'add_score', target: 'adjust_score' }]),
          not_mapped: expect.arrayContaining([
            { source: 'event-17', kind: 'sms.send_text_sms', reason: 'Lettergate has no such step' },
          ]),
          must_review: expect.arrayContaining([expect.stringContaining('event-12 decided by email.open')]),
        },
      },
    },
  })
  const { nodes } = (
    json['automation'] as { selected_version: { definition: { nodes: { key: string; config: object }[] } } }
  ).selected_version.definition
  const [stored] = await gateway.stage.query<{ id: string }>(
    `select id from campaigns.content_versions where validation->'sourceProvenance'->>'source_id' = 'mautic:email:1'`,
  )
  expect(nodes.find(({ key }) => key === 'event-11')).toMatchObject({
    type: 'send_email',
    config: { content_version_id: stored!.id },
  })
  const browser = await signIn(gateway, 'editor')
  const shownContent = await browser.call(
    'GET',
    `${newsletter.replace('/api/v1', '/console/api')}/content-versions/${stored!.id}`,
  )
  expect(shownContent.json).toMatchObject({
    content_version: {
      validation: { source_provenance: { source_id: 'mautic:email:1', source_object_type: 'email' } },
    },
  })
  const sources = await gateway.stage.query<{ source: string | null }>(
    `select validation->'sourceProvenance'->>'source_id' as source from campaigns.content_versions order by 1`,
  )
  expect(sources.map(({ source }) => source)).toEqual([
    'harbour-mail:email:quays',
    'harbour-mail:email:welcome',
    'mautic:email:1',
    'mautic:email:2',
  ])
})

test('an export of which one file does not match writes nothing, not even the objects of the other files', async () => {
  const before = await rows()
  const folder = copyOf('mautic')
  appendFileSync(join(folder, 'campaigns/3.json'), '\n')
  expect(await program([folder])).toEqual({
    status: exitCodes.export,
    text: expect.stringContaining('campaigns/3.json does not have the SHA-256 of the manifest'),
  })
  expect(await rows()).toEqual(before)
})

test('an unreadable workflow stops the run before its emails are written', async () => {
  const before = await rows()
  const folder = exportOf(
    { 'new.html': '<p>New</p>', 'w.json': '{"format":"other"}' },
    {
      emails: [{ object_id: 'new', name: 'New', format: 'html', file: 'new.html', subject: 'New' }],
      workflows: [{ object_id: 1, name: 'W', format: 'lettergate.legacy-workflow.v1', file: 'w.json' }],
    },
  )
  expect((await program([folder])).status).toBe(exitCodes.export)
  expect(await rows()).toEqual(before)
})

describe('an environment in which something could be sent is refused, and nothing is written', () => {
  test.each([
    ['DEPLOYMENT_ENVIRONMENT', 'production'],
    ['ALLOW_PRODUCTION_SENDING_ACTIVATION', 'true'],
    ['TEST_SENDS_ENABLED', 'true'],
  ])('by its own environment: %s is %s', async (name, value) => {
    const before = await rows()
    // it looks at its environment before anything else, also before the folder
    expect(await program(['/nowhere'], { [name]: value })).toEqual({
      status: exitCodes.environment,
      text: expect.stringContaining(name),
    })
    expect(await rows()).toEqual(before)
  })

  test('by the environment of the services, when its own is harmless', async () => {
    const before = await rows()
    const { rpcPort } = await gateway.replica({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
    const refused = await program([copyOf('mautic')], { IDENTITY_TARGET: `127.0.0.1:${rpcPort}` })
    expect(refused).toEqual({
      status: exitCodes.environment,
      text: expect.stringContaining('ALLOW_PRODUCTION_SENDING_ACTIVATION=true'),
    })
    expect(await rows()).toEqual(before)
  })
})

test.each([
  ['an analyst', ['--operator', 'analyst']],
  ['an operator of another workspace', ['--operator', 'outsider']],
  ['an unknown workspace', ['--workspace', 'acme/nowhere']],
])('%s is refused, and nothing is written', async (_, args) => {
  const before = await rows()
  expect((await program([copyOf('mautic'), ...args])).status).toBe(exitCodes.environment)
  expect(await rows()).toEqual(before)
})

test('an email that the service refuses does not stop the others, and its step is left out and reported', async () => {
  const folder = exportOf(
    {
      'bad.html': '<a href="https://a.test/{{ first_name }}">x</a>',
      'good.html': '<p>Good</p>',
      'w.json': JSON.stringify({
        format: 'lettergate.legacy-workflow.v1',
        trigger: { type: 'manual' },
        start: 'a',
        steps: [
          { id: 'a', type: 'email', email: 'bad', next: 'b' },
          { id: 'b', type: 'wait', seconds: 60 },
        ],
      }),
    },
    {
      emails: ['bad', 'good'].map((name) => ({
        object_id: name,
        name,
        format: 'html',
        file: `${name}.html`,
        subject: name,
      })),
      workflows: [{ object_id: 1, name: 'W', format: 'lettergate.legacy-workflow.v1', file: 'w.json' }],
    },
  )
  const { status, text } = await program([folder])
  expect(status).toBe(exitCodes.partial)
  expect(text).toContain('2 created, 0 appended, 0 unchanged, 1 refused')
  expect(text).toContain('a (email): the email bad was refused')
})

test('a workflow whose automation has 500 versions is refused, and the others are written', async () => {
  const workflow = (seconds: number) =>
    JSON.stringify({
      format: 'lettergate.legacy-workflow.v1',
      trigger: { type: 'manual' },
      start: 'a',
      steps: [{ id: 'a', type: 'wait', seconds }],
    })
  const folderWith = (seconds: number) =>
    exportOf(
      { 'full.json': workflow(seconds), 'other.json': workflow(seconds) },
      {
        workflows: ['full', 'other'].map((name) => ({
          object_id: name,
          name,
          slug: `of-${name}`,
          format: 'lettergate.legacy-workflow.v1',
          file: `${name}.json`,
        })),
      },
    )
  expect((await program([folderWith(60)])).status).toBe(exitCodes.done)
  await gateway.stage.query(
    `with full_one as (update automations.automations set current_version = 500 where slug = 'of-full' returning id)
     insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                  validation, preview, created_by_wallet_id)
     select workspace_id, gen_random_uuid(), automation_id, 500, trigger_type, definition, definition_checksum, validation, preview,
            created_by_wallet_id
       from automations.automation_versions join full_one on full_one.id = automation_id`,
  )
  const { status, text } = await program([folderWith(120)])
  expect(status).toBe(exitCodes.partial)
  expect(text).toContain('0 created, 1 appended, 0 unchanged, 1 refused')
  expect(text).toContain('500 versions')
})

test('a service that does not answer ends the run; a repeat continues', async () => {
  const folder = exportOf(
    {
      'late.html': '<p>Late</p>',
      'w.json': JSON.stringify({
        format: 'lettergate.legacy-workflow.v1',
        trigger: { type: 'manual' },
        start: null,
        steps: [],
      }),
    },
    {
      emails: [{ object_id: 'late', name: 'Late', format: 'html', file: 'late.html', subject: 'Late' }],
      workflows: [{ object_id: 'late', name: 'W', format: 'lettergate.legacy-workflow.v1', file: 'w.json' }],
    },
  )
  const stopped = await program([folder], { AUTOMATIONS_TARGET: '127.0.0.1:9', RPC_TIMEOUT_MS: '8000' })
  expect(stopped.status).toBe(exitCodes.unavailable)
  expect((await program([folder])).text).toContain('1 created, 0 appended, 1 unchanged, 0 refused')
})
