import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { signIn, type Browser } from './console-session.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { timesAsked } from './neighbours.ts'
import { audience } from './people-and-senders.ts'
import {
  audiencesOf,
  consoleNewsletter,
  createSource,
  credentialedSource,
  grantFor,
  handIn,
  signUp,
} from './subscription-sources.ts'

/** The credentials that the two routes of a source accept. */

let gateway: GatewayStage
let owner: Browser
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  owner = await signIn(gateway, 'owner')
  audienceId = await audience(gateway)
})
afterAll(() => gateway.close())

const globex = '/api/v1/organizations/globex/workspaces/main'
const send = (slug: string, token: string | undefined, more: object = {}) =>
  handIn(gateway, slug, { token, body: signUp(audienceId), ...more })
const list = (slug: string, token: string, workspace?: string) => audiencesOf(gateway, slug, token, workspace)
const setStatus = (slug: string, status: string) =>
  owner.call('POST', `${consoleNewsletter}/subscription-sources/${slug}/status`, { body: { status } })
const credentialOf = (slug: string) => `${consoleNewsletter}/subscription-sources/${slug}/credential`

describe('a static credential', () => {
  test('is accepted on both routes of its source, and a replay needs it too', async () => {
    const source = await credentialedSource(owner)
    expect(source.credential).toMatch(/^lgs_[A-Za-z0-9_-]{43,}$/)
    const { status, json } = await list(source.slug, source.credential)
    expect(status).toBe(200)
    expect(json).toMatchObject({
      schema_version: 'service.subscription-source-audiences.v1',
      source_id: source.id,
      audiences: [{ id: audienceId }],
    })
    expect((await send(source.slug, source.credential)).json['status']).toBe('accepted')
  })

  test('works while the wallet is down, and is never sent to it', async () => {
    const source = await credentialedSource(owner)
    await gateway.lever('/dev/outage', { enabled: true })
    try {
      expect((await send(source.slug, source.credential)).status).toBe(200)
      expect((await list(source.slug, source.credential)).status).toBe(200)
      expect((await send(source.slug, 'lgs_unknown')).status).toBe(401)
    } finally {
      await gateway.lever('/dev/outage', { enabled: false })
    }
  })

  test('needs one call to contacts-consent for each request, and one more before its first body is read', async () => {
    const source = await credentialedSource(owner)
    const unseen = await timesAsked(gateway.contacts, 'AdmitSource')
    await send(source.slug, source.credential)
    const before = await timesAsked(gateway.contacts, 'AdmitSource')
    expect(before).toBe(unseen + 1)
    await send(source.slug, source.credential)
    expect(await timesAsked(gateway.contacts, 'AdmitSource')).toBe(before)
    expect((await send(source.slug, source.credential, { body: {} })).status).toBe(422)
    expect(await timesAsked(gateway.contacts, 'AdmitSource')).toBe(before + 1)
  })

  test('that was replaced is 401 on the next request, and the new one works', async () => {
    const source = await credentialedSource(owner)
    const rotated = await owner.call('POST', credentialOf(source.slug))
    expect(rotated.status).toBe(200)
    const fresh = rotated.json['credential'] as string
    expect(fresh).not.toBe(source.credential)
    expect((await send(source.slug, source.credential)).status).toBe(401)
    expect((await send(source.slug, fresh)).status).toBe(200)
  })

  test('that was revoked is 401 on the next request, and grants still work', async () => {
    const source = await credentialedSource(owner)
    const revoked = await owner.call('DELETE', credentialOf(source.slug))
    expect(revoked.json).toEqual({ deleted: true })
    expect((await send(source.slug, source.credential)).status).toBe(401)
    expect((await list(source.slug, source.credential)).status).toBe(401)
    expect((await send(source.slug, await grantFor(gateway, source.id, 'events.write'))).status).toBe(200)
  })
})

describe('a grant of the wallet', () => {
  test('writes with events.write alone and lists with audiences.read alone', async () => {
    const source = await createSource(gateway)
    const writer = await grantFor(gateway, source.id, 'events.write')
    const reader = await grantFor(gateway, source.id, 'audiences.read')
    const both = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
    const neither = await grantFor(gateway, source.id)
    const answers = await Promise.all(
      [writer, reader, both, neither].map(async (token) => [
        (await send(source.slug, token)).status,
        (await list(source.slug, token)).status,
      ]),
    )
    expect(answers).toEqual([
      [200, 403],
      [403, 200],
      [200, 200],
      [403, 403],
    ])
  })

  test('for another source is 403, one for no source too, and an invalid one is 401', async () => {
    const source = await createSource(gateway)
    const other = await createSource(gateway)
    for (const sourceId of [other.id, 'site', source.slug, `${source.id} subscription-source:${other.id}`]) {
      const token = await grantFor(gateway, sourceId, 'events.write', 'audiences.read')
      expect({ sourceId, status: (await send(source.slug, token)).status }).toEqual({ sourceId, status: 403 })
      expect((await list(source.slug, token)).status).toBe(403)
    }
    expect((await send(source.slug, 'wallet-grant-made-up')).status).toBe(401)
  })

  test('that is revoked or has expired is 401 on the next request', async () => {
    const source = await createSource(gateway)
    const token = await grantFor(gateway, source.id, 'events.write')
    expect((await send(source.slug, token)).status).toBe(200)
    await gateway.lever('/dev/revoke', { token })
    expect((await send(source.slug, token)).status).toBe(401)
    const { token: expired } = await gateway.lever('/dev/grants', {
      source_id: source.id,
      permissions: ['events.write'],
      expires_in: -1,
    })
    expect((await send(source.slug, expired as string)).status).toBe(401)
  })

  test('is 503 while the wallet is down, before other checks, and works afterwards', async () => {
    const source = await createSource(gateway)
    const token = await grantFor(gateway, source.id, 'events.write')
    await gateway.lever('/dev/outage', { enabled: true })
    try {
      const refused = await send('no-such-source', token, { body: '{', workspace: globex })
      expect(refused.status).toBe(503)
      expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8')
    } finally {
      await gateway.lever('/dev/outage', { enabled: false })
    }
    await until(async () => (await send(source.slug, token)).status === 200)
  })
})

describe('a source that is not active', () => {
  test.each(['suspended', 'revoked'])('%s refuses credentials and grants on the next request', async (status) => {
    const source = await credentialedSource(owner)
    const grant = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
    for (const token of [source.credential, grant]) expect((await send(source.slug, token)).status).toBe(200)
    expect((await setStatus(source.slug, status)).status).toBe(200)
    for (const token of [source.credential, grant]) {
      const refused = await send(source.slug, token)
      expect(refused.status).toBe(403)
      expect(refused.text).not.toContain(token)
      expect((await list(source.slug, token)).status).toBe(403)
    }
  })

  test('works again when it is active again', async () => {
    const source = await credentialedSource(owner)
    await setStatus(source.slug, 'suspended')
    expect((await send(source.slug, source.credential)).status).toBe(403)
    await setStatus(source.slug, 'active')
    expect((await send(source.slug, source.credential)).status).toBe(200)
  })
})

describe('the wrong kind of credential', () => {
  test('no credential, a key, a cookie or an operator’s token is 401 on a source route, also for the owner', async () => {
    const { slug } = await createSource(gateway)
    const headers: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Basic bGdzX3g6' },
      { authorization: 'Bearer wallet-session-dev-owner' },
      { authorization: 'Bearer wallet-session-' },
      { 'x-api-key': 'test-service-key', 'x-user-id': 'owner' },
      { cookie: owner.cookie, 'x-csrf-token': owner.csrfToken },
    ]
    for (const one of headers) {
      const refused = await send(slug, undefined, { headers: one })
      expect({ one, status: refused.status }).toEqual({ one, status: 401 })
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
      expect(
        (await gateway.call('GET', `${newsletter}/subscription-sources/${slug}/audiences`, { headers: one })).status,
      ).toBe(401)
    }
  })

  test('a credential or a live grant of a source is 401 on the routes of operators and of the console', async () => {
    const source = await credentialedSource(owner)
    const grant = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
    expect((await send(source.slug, grant)).status).toBe(200)
    const routes: [string, string][] = [
      ['GET', '/api/v1/me'],
      ['GET', newsletter],
      ['POST', `${newsletter}/contacts/upsert`],
      ['GET', `${newsletter}/subscription-sources`],
      ['PATCH', `${newsletter}/subscription-sources/${source.slug}/origins`],
      ['POST', credentialOf(source.slug)],
      ['GET', '/console/api/platform/gates'],
    ]
    for (const token of [source.credential, grant]) {
      for (const [method, path] of routes) {
        const body = method === 'GET' ? {} : { body: { allowed_origins: ['https://evil.test'] } }
        const { status } = await gateway.call(method, path, { headers: { authorization: `Bearer ${token}` }, ...body })
        expect({ path, status }).toEqual({ path, status: 401 })
      }
    }
  })
})

describe('a workspace sees nothing of another', () => {
  test('a credential or grant of one workspace is 404 in another, with the page of a missing object', async () => {
    const source = await credentialedSource(owner)
    const grant = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
    const theirs = await gateway.call('POST', `${globex}/subscription-sources`, {
      as: 'outsider',
      body: {
        slug: source.slug,
        display_name: 'Theirs',
        allowed_origins: ['https://globex.test'],
        allows_all_audiences: true,
      },
    })
    expect(theirs.status).toBe(200)
    const headers = { 'x-correlation-id': 'same-correlation-id' }
    const nothing = await gateway.call('GET', '/api/v1/nothing', { headers })
    for (const token of [source.credential, grant]) {
      for (const workspace of [
        globex,
        newsletter.replace('newsletter', 'nowhere'),
        newsletter.replace('acme', 'Acme%00'),
      ]) {
        const page = await send(source.slug, token, { workspace, headers })
        expect({ workspace, status: page.status, text: page.text }).toEqual({
          workspace,
          status: 404,
          text: nothing.text,
        })
        expect((await list(source.slug, token, workspace)).status).toBe(404)
      }
    }
    const their = theirs.json['source'] as { id: string }
    const theirGrant = await grantFor(gateway, their.id, 'events.write')
    expect((await send(source.slug, theirGrant)).status).toBe(404)
  })

  test('operators of one workspace cannot list or change the sources of another', async () => {
    const source = await createSource(gateway)
    expect((await gateway.call('GET', `${newsletter}/subscription-sources`, { as: 'outsider' })).status).toBe(404)
    const { json } = await gateway.call('GET', `${globex}/subscription-sources`, { as: 'outsider' })
    expect((json['sources'] as { id: string }[]).map(({ id }) => id)).not.toContain(source.id)
    const origins = `${globex}/subscription-sources/${source.slug}/origins`
    const body = { allowed_origins: ['https://evil.test'] }
    expect((await gateway.call('PATCH', origins, { as: 'outsider', body })).status).toBe(404)
  })
})

describe('checks come in the order of the contract', () => {
  const broken = { body: '{', key: null, headers: { 'content-type': 'text/plain' } }

  test('401, the workspace, 403, and only then the headers and the body', async () => {
    const source = await credentialedSource(owner)
    const reader = await grantFor(gateway, source.id, 'audiences.read')
    const nowhere = newsletter.replace('newsletter', 'nowhere')
    expect((await send(source.slug, 'lgs_unknown', { ...broken, workspace: nowhere })).status).toBe(401)
    expect((await send(source.slug, reader, { ...broken, workspace: nowhere })).status).toBe(404)
    expect((await send(source.slug, reader, broken)).status).toBe(403)
    expect((await send('another', source.credential, broken)).status).toBe(403)
    const noKey = await send(source.slug, source.credential, broken)
    expect([noKey.status, noKey.text.includes('Idempotency-Key')]).toEqual([422, true])
    expect((await send(source.slug, source.credential, { ...broken, key: 'k' })).status).toBe(415)
    expect((await send(source.slug, source.credential, { body: '{' })).status).toBe(400)
  })

  test('an invalid slug is no source: 403 with a valid credential, 401 without one', async () => {
    const source = await credentialedSource(owner)
    for (const slug of ['Site', 'a%00b', '..%2f', 'x'.repeat(3_000), '%F0%9F%98%80']) {
      expect({ slug, status: (await send(slug, source.credential)).status }).toEqual({ slug, status: 403 })
      expect((await send(slug, 'lgs_unknown')).status).toBe(401)
      expect((await list(slug, source.credential)).status).toBe(403)
    }
  })
})
