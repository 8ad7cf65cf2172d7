import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter as api, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact, subscriber } from '@lettergate/gateway/test/people-and-senders'

const newsletter = '/console/api/organizations/acme/workspaces/newsletter'
const product = '/console/api/organizations/acme/workspaces/product'
const nobody = '0190a3a0-0000-7000-8000-000000000000'

let gateway: GatewayStage
let analyst: Browser
let owner: Browser
let newsletterId: string
let ada: string
beforeAll(async () => {
  gateway = await gatewayStage()
  analyst = await signIn(gateway, 'analyst')
  owner = await signIn(gateway, 'owner')
  newsletterId = await audience(gateway, 'Newsletter')
  const { contactId } = await subscriber(gateway, newsletterId, {
    first_name: 'Ada',
    tags: ['a & b', 'vip'],
    locale: 'en',
  })
  ada = contactId
  await contact(gateway, { first_name: 'Bob', tags: ['vip'] })
  await gateway.call('POST', `${api}/contacts/${ada}/suppress`, {
    as: 'admin',
    body: { scope: 'workspace', reason: 'manual', evidence: { ticket: 4 } },
  })
})
afterAll(() => gateway.close())

const get = (path: string) => analyst.call('GET', `${newsletter}${path}`)
const items = async <T = { id: string }>(path: string, field: string) => (await get(path)).json[field] as T[]

describe('contacts', () => {
  test('are listed with all filters combined', async () => {
    const now = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
    const query = `search=AD&tag=a+%26+b&tag=nothing&audience_id=${newsletterId}&member_state=active&suppressed=true&created_before=${now}`
    const { status, json } = await get(`/contacts?${query}`)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      contacts: [{ id: ada, first_name: 'Ada', last_name: null, tags: ['a & b', 'vip'], is_suppressed: true }],
      next_cursor: null,
    })
    expect(await items(`/contacts?suppressed=false&tag=vip`, 'contacts')).toMatchObject([{ first_name: 'Bob' }])
  })

  test('come in pages', async () => {
    const first = await get('/contacts?limit=1')
    const second = await get(`/contacts?limit=1&cursor=${first.json['next_cursor'] as string}`)
    expect([first, second].map(({ json }) => (json['contacts'] as { first_name: string }[])[0]!.first_name)).toEqual([
      'Bob',
      'Ada',
    ])
    expect(second.json['next_cursor']).toBeNull()
  })

  test('are shown with all their data', async () => {
    const { status, json } = await get(`/contacts/${ada}`)
    expect(status).toBe(200)
    expect(json['contact']).toMatchObject({
      id: ada,
      locale: 'en',
      phone: null,
      custom_fields: {},
      legacy_consent_evidence: null,
      is_platform_suppressed: false,
      provenance: [{ source: 'test', source_metadata: null, actor: 'owner', is_creation: true }],
      memberships: [
        { audience_id: newsletterId, audience_name: 'Newsletter', is_active: true, under_review_since: null },
      ],
      eligibility: [{ audience_id: newsletterId, eligible: false, reasons: ['suppressed_workspace'] }],
      suppressions: [{ scope: 'workspace', reason: 'manual', evidence: { ticket: 4 }, resolved_at: null }],
    })
    for (const path of [`${newsletter}/contacts/${nobody}`, `${newsletter}/contacts/x`, `${product}/contacts/${ada}`])
      expect((await owner.call('GET', path)).status).toBe(404)
  })
})

test('suppressions, the consent record and audiences are listed', async () => {
  expect(
    await items('/suppressions?state=unresolved&scope=workspace&reason=manual&search=ada', 'suppressions'),
  ).toMatchObject([{ contact_id: ada, audience_id: null, audience_name: null, actor: 'admin' }])
  const events = await get(`/consent-events?contact_id=${ada}&kind=granted&audience_id=${newsletterId}`)
  expect(events.json).toMatchObject({
    consent_events: [
      { contact_id: ada, wording_version: '1', source: 'test', actor: 'owner', evidence: null, reason: null },
    ],
    next_cursor: null,
  })
  expect(await items('/audiences', 'audiences')).toMatchObject([
    { id: newsletterId, name: 'Newsletter', active_member_count: 1, is_archived: false, archived_at: null },
  ])
})

test.each([
  ['/contacts?limit=0', 'limit must be at least 1'],
  ['/contacts?limit=201', 'limit must be at most 200'],
  ['/contacts?limit=ten', 'limit must be a whole number'],
  ['/contacts?limit=1&limit=2', 'limit is given more than once'],
  ['/contacts?cursor=nonsense', 'cursor must be a next_cursor'],
  ['/contacts?tag=x&tag=', 'tag[1] must not be empty'],
  ['/contacts?search=', 'search must not be empty'],
  ['/contacts?suppressed=maybe', 'suppressed must be true or false'],
  ['/contacts?audience_id=x', 'audience_id must be a UUID'],
  ['/contacts?member_state=active', 'audience_id is required with member_state'],
  ['/contacts?created_after=2035-02-30T10:00:00Z', 'created_after must be a date and time that exists'],
  ['/suppressions?scope=world', 'scope must be one of'],
  ['/suppressions?cursor=x', 'cursor must be a next_cursor'],
  ['/consent-events?kind=asked', 'kind must be one of'],
  ['/consent-events?since=yesterday', 'since must be a date and time that exists'],
])('%s is 422 and says "%s"', async (path, says) => {
  const { status, text } = await get(path)
  const plain = text.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
  expect({ status, says: plain.includes(says) ? says : plain }).toEqual({ status: 422, says })
})
