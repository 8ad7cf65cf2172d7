import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

const CW = '/console/api/organizations/acme/workspaces/newsletter'

let gateway: GatewayStage
let owner: Browser
let contactId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  owner = await signIn(gateway, 'owner')
  const post = async (path: string, body: object) =>
    (await gateway.call('POST', `${newsletter}${path}`, { as: 'owner', body })).json
  const contact = await post('/contacts/upsert', { email: 'proof@example.com', source: 'test' })
  contactId = (contact['contact'] as { id: string }).id
  const { audience } = (await post('/audiences', { name: 'News', slug: 'news', purpose: 'news' })) as {
    audience: { id: string }
  }
  await post(`/audiences/${audience.id}/subscribe`, {
    contact_id: contactId,
    source: 'form',
    wording_version: 'v1',
    evidence: { ip: '192.0.2.1', nested: { list: [1.5, null, true, 'ü'] } },
  })
})
afterAll(() => gateway.close())

interface Proof {
  head: { contact_sha256: string; content_sha256: string }
  signature: { fingerprint: string }
  events: { evidence: unknown }[]
}

test('an exported proof is intact as JSON, and signed by a key that the console shows', async () => {
  const { status, json } = await owner.call('GET', `${CW}/contacts/${contactId}/consent-proof`)
  expect(status).toBe(200)
  const proof = json['proof'] as Proof
  expect(proof.events[0]!.evidence).toMatchObject({ content: { nested: { list: [1.5, null, true, 'ü'] } } })
  const keys = (await owner.call('GET', `${CW}/consent-proof-keys`)).json['keys'] as { fingerprint: string }[]
  expect(keys.map((key) => key.fingerprint)).toContain(proof.signature.fingerprint)
  const { verifyConsentProof } = await import('@lettergate/contacts-consent/verify-consent-proof')
  expect(verifyConsentProof(json, keys[0]!.fingerprint)).toMatchObject({ findings: [], doubts: [] })
  const entries = () =>
    gateway.stage.query<{ detail: object }>(
      `select detail from identity.audit_log where action = 'consent_proof_exported' and subject_id = $1`,
      [contactId],
    )
  await until(async () => (await entries()).length === 1)
  const { contact_sha256, content_sha256 } = proof.head
  expect((await entries())[0]!.detail).toMatchObject({ contact_sha256, content_sha256 })
})

test('a user who may view contacts exports it; another workspace’s contact, an unknown one and an invalid id have the same answer', async () => {
  const analyst = await signIn(gateway, 'analyst')
  expect((await analyst.call('GET', `${CW}/contacts/${contactId}/consent-proof`)).status).toBe(200)
  const outsider = await signIn(gateway, 'outsider')
  const elsewhere = '/console/api/organizations/globex/workspaces/main'
  for (const [browser, path] of [
    [outsider, `${elsewhere}/contacts/${contactId}/consent-proof`],
    [outsider, `${CW}/contacts/${contactId}/consent-proof`],
    [owner, `${CW}/contacts/0190a3a0-0000-7000-8000-000000000000/consent-proof`],
    [owner, `${CW}/contacts/no-id/consent-proof`],
  ] as const)
    expect((await browser.call('GET', path)).status).toBe(404)
  expect((await gateway.call('GET', `${CW}/contacts/${contactId}/consent-proof`, { as: 'owner' })).status).toBe(401)
})
