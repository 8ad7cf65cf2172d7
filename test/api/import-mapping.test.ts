import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { allServices } from './all-services.ts'

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage({}, allServices)
  const body = { name: 'News', slug: 'news', purpose: 'news', description: '' }
  const { json } = await gateway.call('POST', `${newsletter}/audiences`, { as: 'owner', body })
  audienceId = (json['audience'] as { id: string }).id
})
afterAll(() => gateway.close())

const product = newsletter.replace('newsletter', 'product')
const body = { mapping: { Email: 'email', Name: 'first_name' }, consent_policy: 'review_required', policy: {} }

async function uploaded(): Promise<string> {
  const id = newId()
  await gateway.stage.query(
    `insert into imports.import_jobs (workspace_id, id, audience_id, filename, source_label, file_sha256, payload_size, chunk_count,
       sealed_key, encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at)
     select id, $1, $2, 'people.csv', 'CRM', repeat('a', 64), 20, 1, 'sealed', 'utf-8', ',', '["Email", "Name"]', 'tester', 'test',
            now() + interval '72 hours'
       from identity.workspaces where slug = 'newsletter'`,
    [id, audienceId],
  )
  return id
}
const map = (id: string, given: object, as = 'editor', workspace = newsletter) =>
  gateway.call('PATCH', `${workspace}/imports/csv/${id}/mapping`, { as, body: given })
const profiles = async (as = 'analyst', workspace = newsletter) =>
  gateway.call('GET', `${workspace}/imports/csv-mapping-profiles`, { as })

test('an import is mapped, and the profile that was saved maps the next one', async () => {
  const first = await map(await uploaded(), { ...body, policy: { static_tags: ['crm'] }, save_profile_name: 'CRM' })
  expect(first.json['import']).toMatchObject({
    status: 'dry_run_queued',
    mapping: body.mapping,
    consent_policy: 'review_required',
    policy: { static_tags: ['crm'] },
    report: {},
    report_checksum: null,
    approval_checksum: null,
  })

  const listed = (await profiles()).json['profiles'] as { id: string; name: string; mapping_checksum: string }[]
  expect(listed[0]).toMatchObject({ name: 'CRM', mapping: body.mapping, policy: { static_tags: ['crm'] } })
  expect(listed[0]!.mapping_checksum).toMatch(/^[0-9a-f]{64}$/)

  const second = await map(await uploaded(), { ...body, mapping: {}, profile_id: listed[0]!.id })
  expect(second.json['import']).toMatchObject({ mapping: body.mapping, policy: { static_tags: ['crm'] } })
})

test('null is the same as leaving an optional field out, and clears a value of a profile', async () => {
  const nothing = { consent_basis: null, default_status: null, static_tags: null, status_values: null }
  const { status, json } = await map(await uploaded(), {
    ...body,
    policy: nothing,
    profile_id: null,
    save_profile_name: null,
  })
  expect(status).toBe(200)
  expect(json['import']).toMatchObject({ mapping: body.mapping, policy: {} })
  const saved = await map(await uploaded(), { ...body, policy: { static_tags: ['x'] }, save_profile_name: 'Tagged' })
  expect(saved.status).toBe(200)
  const listed = (await profiles()).json['profiles'] as { id: string; name: string }[]
  const { id } = listed.find(({ name }) => name === 'Tagged')!
  const cleared = await map(await uploaded(), { ...body, policy: { static_tags: null }, profile_id: id })
  expect(cleared.json['import']).toMatchObject({ policy: {} })
})

test('a wrong mapping is 422 with a page that names every wrong key', async () => {
  const answer = await map(await uploaded(), {
    ...body,
    mapping: { Mail: 'email', Name: 'nickname' },
    policy: { default_status: 'yes' },
  })
  expect([answer.status, answer.headers.get('x-error-reason')]).toEqual([422, 'invalid_mapping'])
  for (const named of ['Mail', 'nickname', 'default_status']) expect(answer.text).toContain(named)
})

test.each([
  ['mapping', { mapping: undefined }],
  ['consent_policy', { consent_policy: undefined }],
  ['policy', { policy: undefined }],
  ['consent_policy', { consent_policy: 'none' }],
  ['mapping', { mapping: { Email: 1 } }],
  ['profile_id', { profile_id: 'mailchimp' }],
  ['save_profile_name', { save_profile_name: '' }],
])('a request with a wrong or missing %s is 422 and names it', async (field, part) => {
  const answer = await map(await uploaded(), { ...body, ...part })
  expect([answer.status, answer.text.includes(field)]).toEqual([422, true])
})

test('analysts list profiles and map nothing; an import of another workspace is missing', async () => {
  const id = await uploaded()
  expect((await map(id, body, 'analyst')).status).toBe(403)
  expect((await map(id, body, 'owner', product)).status).toBe(404)
  expect((await map('no-id', body)).status).toBe(404)
  expect((await profiles('analyst')).status).toBe(200)
  expect((await profiles('outsider')).status).toBe(404)
  const { json } = await gateway.call('GET', `${newsletter}/imports/csv/${id}`, { as: 'analyst' })
  expect(json['import']).toMatchObject({ status: 'uploaded', mapping: {} })
})
