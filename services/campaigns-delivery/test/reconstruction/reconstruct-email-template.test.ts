import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { gatewayStage, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import type { Client } from '@lettergate/rpc'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { schema } from '../../src/db/migrations.ts'
import { start } from '../../src/service.ts'

let gateway: GatewayStage
let campaigns: Client<typeof CampaignsDelivery>
let us: CallScope
let port = 0
const environment = (targets: Record<string, string>) => ({
  ...targets,
  BASE_URL: 'http://127.0.0.1:8080',
  MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
  MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
  ROLE: 'api',
})

beforeAll(async () => {
  gateway = await gatewayStage(
    {},
    {
      schemas: [schema],
      async boot(stage, targets) {
        const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, environment(targets))
        port = rpcPort!
        return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${port}` }
      },
    },
  )
  campaigns = await gateway.stage.client(CampaignsDelivery, port)
  const [{ id } = { id: '' }] = await gateway.stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )
  us = gateway.stage.caller({ workspaceId: id, organization: 'acme', workspace: 'newsletter', actor: 'editor' })
})
afterAll(() => gateway.close())

const provenance = (id: number) => ({
  source_system: 'mautic',
  source_object_type: 'email',
  source_object_id: id,
  source_id: `mautic:email:${id}`,
  source_repository_commit: 'a'.repeat(40),
  checksum_manifest_sha256: 'b'.repeat(64),
  protected_source_outside_git: true,
  operator_review_required: true,
  source_checksum: 'c'.repeat(64),
  transformation: { program: 'p', version: 1 },
})
const request = (id: number) => ({
  name: 'Welcome',
  slug: `mautic-email-${id}`,
  subject: 'Welcome {{ first_name }}',
  html: '<p>Hi <a href="{{ unsubscribe_url }}">leave</a></p><script>alert(1)</script>',
  personalizationDefaults: { first_name: 'you' },
  sourceProvenance: provenance(id),
})
const countOf = async () => {
  const [counts] = await gateway.stage.query(
    `select (select count(*) from campaigns.email_templates)::int as templates,
            (select count(*) from campaigns.content_versions)::int as versions`,
  )
  return counts
}

test('an email becomes a template with a sanitised version that carries its provenance', async () => {
  const stored = await campaigns.reconstructEmailTemplate(us, request(1))
  expect(stored).toMatchObject({ outcome: 'created', version: 1 })
  expect(stored.validation).toMatchObject({ valid: true, stripped: { tags: ['script'] }, tokens: ['first_name'] })
  const { contentVersion } = await campaigns.getContentVersion(us, { contentVersionId: stored.contentVersionId })
  expect(contentVersion).toMatchObject({ createdBy: 'editor', validation: { sourceProvenance: provenance(1) } })
  expect(contentVersion!.sanitizedHtml).not.toContain('script')
  await until(async () => {
    const found = await gateway.stage.query<{ detail: object }>(
      `select detail from identity.audit_log where action = 'email_template_reconstructed' and subject_id = $1`,
      [stored.templateId],
    )
    return found.length === 1
  })
})

test('a repeat changes nothing, also with a new manifest around the same source', async () => {
  const first = await campaigns.reconstructEmailTemplate(us, request(2))
  const before = await countOf()
  const again = await campaigns.reconstructEmailTemplate(us, request(2))
  const rewrapped = await campaigns.reconstructEmailTemplate(us, {
    ...request(2),
    sourceProvenance: { ...provenance(2), checksum_manifest_sha256: 'd'.repeat(64) },
  })
  for (const one of [again, rewrapped])
    expect(one).toMatchObject({ outcome: 'unchanged', contentVersionId: first.contentVersionId, version: 1 })
  expect(await countOf()).toEqual(before)
})

test('a changed source, or another transformation of it, appends a version', async () => {
  const first = await campaigns.reconstructEmailTemplate(us, request(3))
  const changed = { ...provenance(3), source_checksum: 'e'.repeat(64) }
  const second = await campaigns.reconstructEmailTemplate(us, { ...request(3), sourceProvenance: changed })
  expect(second).toMatchObject({ outcome: 'appended', templateId: first.templateId, version: 2 })
  const transformed = { ...changed, transformation: { program: 'p', version: 2 } }
  const third = await campaigns.reconstructEmailTemplate(us, { ...request(3), sourceProvenance: transformed })
  expect(third).toMatchObject({ outcome: 'appended', version: 3 })
})

test('a version that a person appended does not hide the earlier reconstruction', async () => {
  const { templateId } = await campaigns.reconstructEmailTemplate(us, request(4))
  await campaigns.createContentVersion(us, { templateId, subject: 'Mine', html: '<p>Mine</p>' })
  expect(await campaigns.reconstructEmailTemplate(us, request(4))).toMatchObject({ outcome: 'unchanged', version: 1 })
})

test('a template of people, and one of another object, keep their slug', async () => {
  await campaigns.createEmailTemplate(us, { name: 'Mine', slug: 'mautic-email-5' })
  await campaigns.reconstructEmailTemplate(us, request(6))
  for (const taken of [request(5), { ...request(6), sourceProvenance: provenance(7) }])
    await expect(campaigns.reconstructEmailTemplate(us, taken)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'slug',
    })
})

test('of programs that run at the same moment, one creates and the others change nothing', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => campaigns.reconstructEmailTemplate(us, request(8))))
  expect(all.map(({ outcome }) => outcome).toSorted()).toEqual(['created', 'unchanged', 'unchanged', 'unchanged'])
})

test('the checks of content stay in force: misplaced tokens and missing subjects are refused, and nothing is stored', async () => {
  const before = await countOf()
  for (const [change, reason] of [
    [{ html: '<a href="https://a.test/{{ first_name }}">x</a>' }, 'html'],
    [{ subject: ' ' }, 'subject'],
    [{ slug: 'Not a slug' }, 'slug'],
    [{ sourceProvenance: { ...provenance(9), source_object_type: 'campaign' } }, 'source_provenance'],
  ] as const)
    await expect(campaigns.reconstructEmailTemplate(us, { ...request(9), ...change })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason,
    })
  expect(await countOf()).toEqual(before)
})

test('a caller who is no member of the workspace, or names another one, is refused', async () => {
  const { stage } = gateway
  const [{ id } = { id: '' }] = await stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'main'`,
  )
  const outsider = { ...us, caller: { ...us.caller, actor: 'outsider' } }
  const elsewhere = { ...us, caller: { ...us.caller, workspaceId: id } }
  for (const scope of [outsider, elsewhere])
    await expect(campaigns.reconstructEmailTemplate(scope, request(10))).rejects.toMatchObject({
      code: 'not_found',
      reason: 'workspace',
    })
})

test('an environment with an open ceiling is refused by the service too, and nothing is stored', async () => {
  const before = await countOf()
  const { rpcPort: identityPort } = await gateway.replica({ TEST_SENDS_ENABLED: 'true' })
  const { rpcPort } = await gateway.stage.boot('campaigns-delivery', start, loadConfig, {
    ...environment(gateway.targets),
    IDENTITY_TARGET: `127.0.0.1:${identityPort}`,
  })
  const other = await gateway.stage.client(CampaignsDelivery, rpcPort!)
  await expect(other.reconstructEmailTemplate(us, request(11))).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'reconstruction_sending_ceiling',
  })
  expect(await countOf()).toEqual(before)
})

test('the gateway, which has no route for it, may not call it', async () => {
  const asGateway = await gateway.stage.client(CampaignsDelivery, port, 'gateway')
  await expect(asGateway.reconstructEmailTemplate(us, request(12))).rejects.toMatchObject({
    code: 'permission_denied',
    reason: 'peer_not_allowed',
  })
})
