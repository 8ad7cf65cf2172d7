import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash } from 'node:crypto'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import {
  consoleNewsletter,
  credentialedSource,
  handIn,
  origin,
  signUp,
} from '@lettergate/gateway/test/subscription-sources'

/** The operations of sources that only the console has: credentials that are shown once, and their status. */

let gateway: GatewayStage
let admin: Browser
let audienceId: string
beforeAll(async () => {
  gateway = await gatewayStage()
  admin = await signIn(gateway, 'admin')
  audienceId = await audience(gateway)
})
afterAll(() => gateway.close())

const sources = `${consoleNewsletter}/subscription-sources`
const body = (slug: string) => ({ slug, display_name: 'Site', allowed_origins: [origin], allows_all_audiences: true })
const hash = (credential: string) => createHash('sha256').update(credential).digest('hex')

/** Every row of every table of this stack, as text. */
async function everythingStored(): Promise<string> {
  const tables = await gateway.stage.query(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema in ('identity', 'contacts', 'sending') and table_type = 'BASE TABLE'`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) => gateway.stage.query(`select t::text as row from ${name as string} t`)),
  )
  return JSON.stringify(rows)
}

describe('a credential', () => {
  test('is shown only when the source is created and when the credential is replaced', async () => {
    const source = await credentialedSource(admin)
    const rotated = (await admin.call('POST', `${sources}/${source.slug}/credential`)).json
    expect(rotated).toEqual({ source: expect.objectContaining({ id: source.id }), credential: expect.any(String) })
    const fresh = rotated['credential'] as string
    expect(fresh).toMatch(/^lgs_[A-Za-z0-9_-]{43,}$/)
    const pages = await Promise.all([
      gateway.call('GET', `${newsletter}/subscription-sources`, { as: 'admin' }),
      admin.call('POST', `${sources}/${source.slug}/status`, { body: { status: 'suspended' } }),
      admin.call('POST', sources, { body: body(source.slug) }),
      admin.call('GET', `${sources}/${source.slug}/credential`),
      handIn(gateway, source.slug, { token: source.credential, body: signUp(audienceId) }),
      handIn(gateway, source.slug, { token: fresh, body: signUp(audienceId) }),
      handIn(gateway, source.slug, { token: fresh, body: '{' }),
      handIn(gateway, 'another', { token: fresh, body: {} }),
    ])
    const said = pages.map(({ text }) => text).join()
    const stored = await everythingStored()
    for (const credential of [source.credential, fresh]) {
      for (const secret of [credential, credential.slice(4, 24)]) {
        expect(said).not.toContain(secret)
        expect(stored).not.toContain(secret)
      }
      expect(said).not.toContain(hash(credential))
    }
  })

  test('of a source that does not exist, or whose slug is another workspace’s, is 404', async () => {
    const { slug } = await credentialedSource(admin)
    const owner = await signIn(gateway, 'owner')
    const product = sources.replace('newsletter', 'product')
    for (const [browser, path] of [
      [admin, `${sources}/nothing`],
      [owner, `${product}/${slug}`],
      [admin, `${product}/${slug}`],
    ] as const) {
      expect((await browser.call('GET', `${path}/credential`)).status).toBe(404)
      expect((await browser.call('POST', `${path}/credential`)).status).toBe(404)
      expect((await browser.call('DELETE', `${path}/credential`)).status).toBe(404)
      expect((await browser.call('POST', `${path}/status`, { body: { status: 'revoked' } })).status).toBe(404)
    }
  })

  test('can be revoked twice, and a new one can be created afterwards', async () => {
    const source = await credentialedSource(admin)
    const path = `${sources}/${source.slug}/credential`
    for (let again = 0; again < 2; again += 1)
      expect((await admin.call('DELETE', path)).json).toEqual({ deleted: true })
    expect((await admin.call('GET', path)).json).toEqual({ credential: null })
    const { credential } = (await admin.call('POST', path)).json as { credential: string }
    expect((await handIn(gateway, source.slug, { token: credential, body: signUp(audienceId) })).status).toBe(200)
  })
})

test('the receipts of a source are listed, newest first, in pages, without addresses', async () => {
  const { slug, credential } = await credentialedSource(admin)
  const ids: unknown[] = []
  for (let again = 0; again < 3; again += 1) {
    const { json } = await handIn(gateway, slug, { token: credential, body: signUp(audienceId) })
    ids.unshift(json['receipt_id'])
  }
  const page = async (query: string) => (await admin.call('GET', `${sources}/${slug}/receipts${query}`)).json
  const first = await page('?limit=2')
  const second = await page(`?limit=2&cursor=${encodeURIComponent(first['next_cursor'] as string)}`)
  const receipts = [first, second].flatMap(({ receipts }) => receipts as { id: string; status: string }[])
  expect(receipts.map(({ id }) => id)).toEqual(ids)
  expect(second['next_cursor']).toBeNull()
  expect(receipts[0]).toMatchObject({ status: 'accepted', audience_id: audienceId, page_origin: origin })
  expect(JSON.stringify(receipts)).not.toMatch(/@|lgs_/)

  const path = `${sources}/${slug}/receipts`
  expect((await gateway.call('GET', path, { as: 'admin' })).status).toBe(401)
  expect((await (await signIn(gateway, 'editor')).call('GET', path)).status).toBe(403)
  const owner = await signIn(gateway, 'owner')
  expect((await owner.call('GET', path.replace('newsletter', 'product'))).status).toBe(404)
})

test('since when a source has its credential, and who issued it, is for those who manage sources', async () => {
  const { slug } = await credentialedSource(admin)
  const path = `${sources}/${slug}/credential`
  const owner = await signIn(gateway, 'owner')
  const read = async () => (await admin.call('GET', path)).json
  const issued = (by: string) => ({ credential: { created_at: expect.stringMatching(/^\d{4}-.+Z$/), created_by: by } })
  expect(await read()).toEqual(issued('admin'))
  await owner.call('POST', path)
  expect(await read()).toEqual(issued('owner'))
  expect((await gateway.call('GET', path, { as: 'admin' })).status).toBe(401)
  expect((await (await signIn(gateway, 'editor')).call('GET', path)).status).toBe(403)
})

describe('the console routes of sources', () => {
  const routes = (slug: string): [string, string, object | undefined][] => [
    ['POST', sources, body('made-by-nobody')],
    ['POST', `${sources}/${slug}/credential`, undefined],
    ['DELETE', `${sources}/${slug}/credential`, undefined],
    ['POST', `${sources}/${slug}/status`, { status: 'revoked' }],
  ]

  test('accept only browser sessions: a bearer, a key and no credential are 401, and nothing changes', async () => {
    const { slug, credential } = await credentialedSource(admin)
    for (const [method, path, sent] of routes(slug)) {
      const more = sent === undefined ? {} : { body: sent }
      const key = { 'x-api-key': 'test-service-key', 'x-user-id': 'owner' }
      for (const who of [{ as: 'owner' }, { headers: key }, {}])
        expect({ path, who, status: (await gateway.call(method, path, { ...who, ...more })).status }).toEqual({
          path,
          who,
          status: 401,
        })
    }
    expect((await handIn(gateway, slug, { token: credential, body: signUp(audienceId) })).status).toBe(200)
  })

  test('are 403 without the CSRF token, with a wrong one, and for roles without the capability', async () => {
    const { slug, credential } = await credentialedSource(admin)
    const editor = await signIn(gateway, 'editor')
    const analyst = await signIn(gateway, 'analyst')
    for (const [method, path, sent] of routes(slug)) {
      const more = sent === undefined ? {} : { body: sent }
      const forged = [
        gateway.call(method, path, { headers: { cookie: admin.cookie }, ...more }),
        admin.call(method, path, { headers: { 'x-csrf-token': editor.csrfToken }, ...more }),
        admin.call(method, path, { headers: { 'sec-fetch-site': 'cross-site' }, ...more }),
      ]
      const powerless = [editor, analyst].map((browser) => browser.call(method, path, more))
      for (const { status } of await Promise.all([...forged, ...powerless]))
        expect({ path, status }).toEqual({ path, status: 403 })
    }
    expect((await handIn(gateway, slug, { token: credential, body: signUp(audienceId) })).status).toBe(200)
  })

  test('refuse an invalid status and an invalid source, with the name of the field', async () => {
    const { slug } = await credentialedSource(admin)
    for (const status of ['paused', '', null, 1]) {
      const refused = await admin.call('POST', `${sources}/${slug}/status`, { body: { status } })
      expect({ status, answer: refused.status }).toEqual({ status, answer: 422 })
      expect(refused.text).toContain('status')
    }
    const refused = await admin.call('POST', sources, { body: { ...body('Site_1'), allowed_origins: ['nowhere'] } })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('slug must be lowercase letters and digits, in words joined by single hyphens')
    expect(refused.text).toContain('allowed_origins[0] must be an origin')
    expect((await admin.call('POST', sources, { body: body(slug) })).status).toBe(409)
  })
})
