import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, contact, isEligible, subscriber } from '@lettergate/gateway/test/people-and-senders'
import {
  audiencesOf,
  createSource,
  grantFor,
  handIn,
  origin,
  signUp,
  type SignUp,
} from '@lettergate/gateway/test/subscription-sources'

/** Sign-ups and the administration of sources over HTTP. */

let gateway: GatewayStage
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  audienceId = await audience(gateway)
})
afterAll(() => gateway.close())

const sources = `${newsletter}/subscription-sources`
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
const person = (body: SignUp, email: string): SignUp => ({ ...body, contact: { ...body.contact, email } })
const lookUp = async (email: string) =>
  (await gateway.call('GET', `${newsletter}/contacts/lookup?email=${email}`, { as: 'analyst' })).json['contact'] as {
    id: string
  }

/** A source with a grant for both of its routes. */
async function granted(more: object = {}) {
  const source = await createSource(gateway, more)
  const token = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
  const send = (body: SignUp, key?: string) =>
    handIn(gateway, source.slug, { token, body, ...(key === undefined ? {} : { key }) })
  return { source, token, send }
}

describe('a sign-up', () => {
  test('is accepted, makes the contact an eligible member, and returns the receipt', async () => {
    const { source, send } = await granted()
    const body = signUp(audienceId)
    const { status, json, headers } = await send(body)
    expect(status).toBe(200)
    expect(json).toEqual({
      schema_version: 'service.subscription-source-result.v1',
      source_event_id: body.source_event_id,
      receipt_id: uuid,
      consent_event_id: uuid,
      status: 'accepted',
      audience_membership_active: true,
      reason_class: null,
      original_status: null,
      correlation_id: headers.get('x-correlation-id'),
    })
    const { id } = await lookUp(body.contact['email'] as string)
    expect(await isEligible(gateway, id, audienceId)).toBe(true)
    const [event] = await gateway.stage.query(
      `select actor, actor_kind, source from contacts.consent_events where id = $1`,
      [json['consent_event_id']],
    )
    expect(event).toMatchObject({ actor_kind: 'source' })
    expect(JSON.stringify(event)).toContain(source.id)
  })

  test('of a suppressed address is stored as suppressed and sends nothing', async () => {
    const { send } = await granted()
    const body = signUp(audienceId)
    const contactId = await contact(gateway, { email: body.contact['email'] })
    const suppress = `${newsletter}/contacts/${contactId}/suppress`
    await gateway.call('POST', suppress, { as: 'admin', body: { scope: 'workspace', reason: 'manual' } })
    const { json } = await send(body)
    expect(json).toMatchObject({
      status: 'suppressed',
      reason_class: 'suppressed_workspace',
      audience_membership_active: false,
    })
    expect(await isEligible(gateway, contactId, audienceId)).toBe(false)
  })

  test('of a legacy contact without documented consent waits for a review', async () => {
    const { send } = await granted()
    const body = signUp(audienceId)
    await contact(gateway, { email: body.contact['email'], is_legacy: true })
    expect((await send(body)).json).toMatchObject({ status: 'review_required', reason_class: 'review_legacy_contact' })
  })

  test('from before the contact left the audience waits for a review', async () => {
    const { send } = await granted()
    const email = `left.${randomUUID().slice(0, 8)}@b.test`
    const { contactId, token } = await subscriber(gateway, audienceId, { email })
    const before = new Date(Date.now() - 3_600_000).toISOString()
    await gateway.call('POST', `/preferences/${token}`)
    const found = await gateway.stage.query(
      'select id from contacts.suppressions where contact_id = $1 and resolved_at is null',
      [contactId],
    )
    expect(found).toHaveLength(1)
    const resolve = `${newsletter}/suppressions/${found[0]!['id'] as string}/resolve`
    const body = { resolution_reason: 'asked to come back' }
    expect((await gateway.call('POST', resolve, { as: 'admin', body })).status).toBe(200)
    const { json } = await send(person({ ...signUp(audienceId), captured_at: before }, email))
    expect(json).toMatchObject({ status: 'review_required', reason_class: 'review_consent_conflict' })
    expect(await isEligible(gateway, contactId, audienceId)).toBe(false)
  })

  test('under the same source_event_id and another key is a duplicate when equal and 409 when not', async () => {
    const { send } = await granted()
    const body = signUp(audienceId)
    const first = await send(body)
    expect((await send(body)).json).toMatchObject({
      status: 'duplicate',
      original_status: 'accepted',
      receipt_id: first.json['receipt_id'],
    })
    expect((await send(person(body, 'someone.else@b.test'))).status).toBe(409)
  })

  test('for an audience or from a page outside of what the source allows is 403, and uses up no key', async () => {
    const { send } = await granted({ allows_all_audiences: false, allowed_audience_ids: [audienceId] })
    const elsewhere = await send(signUp(await audience(gateway)), 'kept')
    expect(elsewhere.status).toBe(403)
    for (const page of ['https://evil.test', 'http://www.acme.test', `${origin}:8443`, `${origin}.evil.test`]) {
      const body = signUp(audienceId)
      body.source['page_origin'] = page
      expect({ page, status: (await send(body, 'kept')).status }).toEqual({ page, status: 403 })
    }
    expect((await send(signUp(audienceId), 'kept')).json['status']).toBe('accepted')
  })

  test('for an allowed audience that was archived since is 422', async () => {
    const gone = await audience(gateway)
    const { source, token, send } = await granted({
      allows_all_audiences: false,
      allowed_audience_ids: [gone, audienceId],
    })
    await gateway.stage.query('update contacts.audiences set archived_at = now() where id = $1', [gone])
    const { status, text } = await send(signUp(gone))
    expect(status).toBe(422)
    expect(text).toContain('destination_audience_id')
    const listed = await audiencesOf(gateway, source.slug, token)
    expect((listed.json['audiences'] as { id: string }[]).map(({ id }) => id)).toEqual([audienceId])
  })
})

describe('operators administer sources', () => {
  const post = (body: object, as = 'admin') => gateway.call('POST', sources, { as, body })
  const right = () => ({
    slug: `site-${randomUUID().slice(0, 8)}`,
    display_name: 'Site',
    allowed_origins: [origin],
    allowed_audience_ids: [audienceId],
  })

  test('with bearer tokens: created, listed, and the origins replaced, never with a credential', async () => {
    const created = await post(right())
    expect(created.status).toBe(200)
    const source = created.json['source'] as Record<string, unknown>
    expect(source).toMatchObject({ status: 'active', allows_all_audiences: false, allowed_audience_ids: [audienceId] })
    const { json } = await gateway.call('GET', sources, { as: 'owner' })
    expect(json['sources']).toContainEqual(source)
    const origins = `${sources}/${source['slug'] as string}/origins`
    const body = { allowed_origins: ['https://shop.acme.test', 'http://localhost:3000'] }
    for (let again = 0; again < 2; again += 1) {
      const replaced = await gateway.call('PATCH', origins, { as: 'admin', body })
      expect(replaced.json['source']).toEqual({ ...source, ...body })
    }
    expect(JSON.stringify([created.json, json])).not.toMatch(/credential|lgs_/)
  })

  test('only with the capability', async () => {
    for (const as of ['editor', 'analyst', 'agent']) {
      expect((await post(right(), as)).status).toBe(403)
      expect((await gateway.call('GET', sources, { as })).status).toBe(403)
    }
    const key = { 'x-api-key': 'test-service-key', 'x-user-id': 'owner' }
    expect((await gateway.call('GET', sources, { headers: key })).status).toBe(403)
  })

  test('a used slug is 409, only in the same workspace', async () => {
    const body = right()
    expect((await post(body)).status).toBe(200)
    expect((await post(body)).status).toBe(409)
    const theirs = await gateway.call(
      'POST',
      sources.replace('acme/workspaces/newsletter', 'acme/workspaces/product'),
      {
        as: 'owner',
        body: { ...body, allowed_audience_ids: null, allows_all_audiences: true },
      },
    )
    expect(theirs.status).toBe(200)
  })

  test.each<[string, object, string]>([
    ['no slug', { slug: undefined }, 'slug'],
    ['a slug that is none', { slug: 'Site_1' }, 'slug'],
    ['no origins', { allowed_origins: [] }, 'allowed_origins'],
    ['an origin with a path', { allowed_origins: [`${origin}/`] }, 'allowed_origins'],
    ['no audience', { allowed_audience_ids: [] }, 'allowed_audience_ids'],
    ['audiences left out', { allowed_audience_ids: undefined }, 'allowed_audience_ids'],
    ['an unknown audience', { allowed_audience_ids: [randomUUID()] }, 'allowed_audience_ids'],
    ['audiences beside the flag', { allows_all_audiences: true }, 'allowed_audience_ids'],
    ['a flag that is none', { allows_all_audiences: 'yes' }, 'allows_all_audiences'],
  ])('%s is 422 and names the field', async (_, more, field) => {
    const { status, text } = await post({ ...right(), ...more })
    expect(status).toBe(422)
    expect(text).toContain(field)
  })

  test('the origins of a source that does not exist are 404', async () => {
    const body = { allowed_origins: [origin] }
    expect((await gateway.call('PATCH', `${sources}/nothing/origins`, { as: 'admin', body })).status).toBe(404)
  })
})
