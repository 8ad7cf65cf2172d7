import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig as loadCampaigns } from '@lettergate/campaigns-delivery/config'
import { schema as campaignsSchema } from '@lettergate/campaigns-delivery/migrations'
import { start as startCampaigns } from '@lettergate/campaigns-delivery/service'
import { Automations } from '@lettergate/contracts/automations/v1/automations'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { loadConfig } from '../../src/config.ts'
import { schema } from '../../src/db/migrations.ts'
import { start } from '../../src/service.ts'
import { emptyDefinition } from '../automations-stage.ts'

let gateway: GatewayStage
let automations: Client<typeof Automations>
let us: CallScope
let targets: Record<string, string>

beforeAll(async () => {
  let port = 0
  gateway = await gatewayStage(
    {},
    {
      schemas: [campaignsSchema, schema],
      async boot(stage, given) {
        const campaigns = await stage.boot('campaigns-delivery', startCampaigns, loadCampaigns, {
          ...given,
          BASE_URL: 'http://127.0.0.1:8080',
          ROLE: 'api',
        })
        targets = {
          ...given,
          CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${campaigns.rpcPort}`,
          CAMPAIGNS_WORKER_TARGET: '127.0.0.1:9',
        }
        const app = await stage.boot('automations', start, loadConfig, targets)
        port = app.rpcPort!
        return {
          CAMPAIGNS_DELIVERY_TARGET: targets['CAMPAIGNS_DELIVERY_TARGET']!,
          AUTOMATIONS_TARGET: `127.0.0.1:${port}`,
        }
      },
    },
  )
  automations = await gateway.stage.client(Automations, port)
  const [{ id } = { id: '' }] = await gateway.stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )
  us = gateway.stage.caller({ workspaceId: id, organization: 'acme', workspace: 'newsletter', actor: 'editor' })
})
afterAll(() => gateway.close())

const provenance = (id: number) => ({
  source_system: 'mautic',
  source_object_type: 'campaign',
  source_object_id: id,
  source_id: `mautic:campaign:${id}`,
  source_repository_commit: 'a'.repeat(40),
  checksum_manifest_sha256: 'b'.repeat(64),
  protected_source_outside_git: true,
  operator_review_required: true,
  source_checksum: 'c'.repeat(64),
  workflow_graph_sha256: 'd'.repeat(64),
})
const review = {
  mapped: [{ source: 'event-1', kind: 'end', target: 'end' }],
  not_mapped: [{ source: 'event-2', kind: 'sms.send', reason: 'Lettergate has no such step' }],
  must_review: ['Read the whole definition.'],
}
const request = (id: number) => ({
  name: 'Welcome',
  slug: `mautic-campaign-${id}`,
  definition: emptyDefinition,
  sourceProvenance: provenance(id),
  reconstructionReview: review,
})
const waiting = {
  ...emptyDefinition,
  start_node: 'wait',
  nodes: [{ key: 'wait', type: 'wait_duration', config: { seconds: 60 } }, ...emptyDefinition.nodes],
  edges: [{ from: 'wait', to: 'end', branch: 'default' }],
}
const rowsOf = async () =>
  (await gateway.stage.query(`select count(*)::int as n from automations.automation_versions`))[0]

test('a workflow becomes a draft whose version carries the provenance and the review', async () => {
  const stored = await automations.reconstructAutomation(us, request(1))
  expect(stored).toMatchObject({ outcome: 'created', version: 1 })
  expect(stored.warnings).toHaveLength(1)
  const { automation } = await automations.getAutomation(us, { automationId: stored.automationId })
  expect(automation).toMatchObject({ status: 'draft', currentVersion: 1 })
  expect(automation!.selectedVersion).toMatchObject({
    id: stored.versionId,
    createdByWalletId: 'editor',
    validation: {
      valid: true,
      authoring_only: true,
      source_provenance: provenance(1),
      reconstruction_review: review,
    },
  })
})

test('the API shows both fields of a reconstructed version, and neither of another one', async () => {
  const { automationId } = await automations.reconstructAutomation(us, request(2))
  const path = '/api/v1/organizations/acme/workspaces/newsletter/automations'
  const shown = async () => {
    const { json } = await gateway.call('GET', `${path}/${automationId}`, { as: 'editor' })
    const { selected_version: selected } = json['automation'] as { selected_version: { validation: object } }
    return selected.validation
  }
  expect(await shown()).toMatchObject({ reconstruction_review: review, source_provenance: provenance(2) })
  await automations.createAutomationVersion(us, { automationId, definition: emptyDefinition })
  expect(Object.keys(await shown())).not.toEqual(expect.arrayContaining(['source_provenance']))
})

test('a repeat changes nothing, also after people changed or archived the automation', async () => {
  const { automationId, versionId } = await automations.reconstructAutomation(us, request(3))
  const unchanged = { outcome: 'unchanged', automationId, versionId, version: 1 }
  expect(await automations.reconstructAutomation(us, request(3))).toMatchObject(unchanged)
  await automations.createAutomationVersion(us, { automationId, definition: waiting })
  const before = await rowsOf()
  expect(await automations.reconstructAutomation(us, request(3))).toMatchObject(unchanged)
  await automations.archiveAutomation(us, { automationId })
  expect(await automations.reconstructAutomation(us, request(3))).toMatchObject(unchanged)
  expect(await rowsOf()).toEqual(before)
  expect((await automations.getAutomation(us, { automationId })).automation).toMatchObject({ status: 'archived' })
})

test.each([
  ['definition', { definition: waiting }],
  ['source', { sourceProvenance: { ...provenance(4), source_checksum: 'e'.repeat(64) } }],
  ['review', { reconstructionReview: { ...review, must_review: ['Read it.'] } }],
])('another %s of an untouched draft appends a version', async (_, change) => {
  const first = await automations.reconstructAutomation(us, request(4))
  const next = await automations.reconstructAutomation(us, { ...request(4), ...change })
  expect(next).toMatchObject({ outcome: 'appended', automationId: first.automationId, version: first.version + 1 })
  await automations.reconstructAutomation(us, request(4))
})

test('a changed source is refused when the automation has 500 versions', async () => {
  const { automationId } = await automations.reconstructAutomation(us, request(11))
  await gateway.stage.query(
    `with last as (
       insert into automations.automation_versions (workspace_id, id, automation_id, version, trigger_type, definition, definition_checksum,
                                                    validation, preview, created_by_wallet_id)
       select workspace_id, gen_random_uuid(), automation_id, 500, trigger_type, definition, definition_checksum, validation, preview,
              created_by_wallet_id
         from automations.automation_versions where automation_id = $1)
     update automations.automations set current_version = 500 where id = $1`,
    [automationId],
  )
  const changed = automations.reconstructAutomation(us, { ...request(11), definition: waiting })
  await expect(changed).rejects.toMatchObject({ code: 'failed_precondition', reason: 'versions_limit' })
  const { automation } = await automations.getAutomation(us, { automationId })
  expect(automation!.currentVersion).toBe(500)
})

test('a changed source never replaces a version of a person, and never takes a reviewed automation back to draft', async () => {
  const changed = (id: number) => ({ ...request(id), definition: waiting })
  const refusal = { code: 'conflict', reason: 'changed_since_reconstruction' }
  const edited = await automations.reconstructAutomation(us, request(5))
  await automations.createAutomationVersion(us, { automationId: edited.automationId, definition: emptyDefinition })
  await expect(automations.reconstructAutomation(us, changed(5))).rejects.toMatchObject(refusal)

  const marked = await automations.reconstructAutomation(us, request(6))
  const { automation } = await automations.getAutomation(us, { automationId: marked.automationId })
  await automations.markAutomationReadyForReview(us, {
    automationId: marked.automationId,
    versionId: marked.versionId,
    definitionChecksum: automation!.selectedVersion!.definitionChecksum,
  })
  await expect(automations.reconstructAutomation(us, changed(6))).rejects.toMatchObject(refusal)
  const after = await automations.getAutomation(us, { automationId: marked.automationId })
  expect(after.automation).toMatchObject({ status: 'ready_for_review', currentVersion: 1 })
})

test('an automation of people, and one of another object, keep their slug', async () => {
  await automations.createAutomation(us, { name: 'Mine', slug: 'mautic-campaign-7', definition: emptyDefinition })
  await automations.reconstructAutomation(us, request(8))
  for (const taken of [request(7), { ...request(8), sourceProvenance: provenance(9) }])
    await expect(automations.reconstructAutomation(us, taken)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'slug',
    })
})

test('of programs that run at the same moment, one creates and the others change nothing', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => automations.reconstructAutomation(us, request(10))))
  expect(all.map(({ outcome }) => outcome).toSorted()).toEqual(['created', 'unchanged', 'unchanged', 'unchanged'])
})

test('the checks of definitions stay in force, and a review needs its three lists', async () => {
  const before = await rowsOf()
  const foreign = { type: 'audience_subscribed', config: { audience_id: '00000000-0000-7000-8000-000000000000' } }
  for (const [change, reason] of [
    [{ definition: { ...emptyDefinition, trigger: foreign } }, 'definition'],
    [{ reconstructionReview: { mapped: [] } }, 'reconstruction_review'],
    [{ reconstructionReview: { ...review, must_review: ['a\u0000'] } }, 'reconstruction_review'],
    [{ reconstructionReview: { ...review, more: [] } }, 'reconstruction_review'],
    [{ reconstructionReview: { ...review, mapped: ['x'.repeat(300_000)] } }, 'reconstruction_review'],
    [{ sourceProvenance: { ...provenance(11), source_object_type: 'email' } }, 'source_provenance'],
  ] as const)
    await expect(
      automations.reconstructAutomation(us, { ...request(11), ...(change as object) }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      reason,
    })
  expect(await rowsOf()).toEqual(before)
})

test('production is refused by the service too, and nothing is stored', async () => {
  const before = await rowsOf()
  const { rpcPort: identityPort } = await gateway.replica({ DEPLOYMENT_ENVIRONMENT: 'production' })
  const settings = { ...targets, IDENTITY_TARGET: `127.0.0.1:${identityPort}` }
  const { rpcPort } = await gateway.stage.boot('automations', start, loadConfig, settings)
  const other = await gateway.stage.client(Automations, rpcPort!)
  await expect(other.reconstructAutomation(us, request(12))).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'reconstruction_in_production',
  })
  expect(await rowsOf()).toEqual(before)
})
