import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { signIn, type Browser } from './console-session.ts'
import { bodies, nasty, noServerError, types, value } from './fuzz-inputs.ts'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'
import { audience } from './people-and-senders.ts'
import {
  consoleNewsletter,
  credentialedSource,
  grantFor,
  handIn,
  origin,
  signUp,
  type Source,
} from './subscription-sources.ts'

/** Hostile input for the source routes that call contacts-consent. */

let gateway: GatewayStage
let owner: Browser
let audienceId: string
let source: Source & { credential: string }
beforeAll(async () => {
  gateway = await gatewayStage({
    RATE_LIMIT_SOURCE_EVENTS_PER_MINUTE: '100000',
    RATE_LIMIT_SOURCE_REFUSALS_PER_MINUTE: '100000',
  })
  owner = await signIn(gateway, 'owner')
  audienceId = await audience(gateway)
  source = await credentialedSource(owner)
})
afterAll(() => gateway.close())

const runs = { numRuns: 40 }
const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary' }))
const anything = fc.oneof(text, value)

/** A valid sign-up in which at most one field has any value. */
const bent = fc
  .tuple(
    fc.constantFrom(
      ...['', 'contact.', 'consent.', 'source.'].flatMap((inside) =>
        Object.keys(
          inside === '' ? signUp('') : (signUp('')[inside.slice(0, -1) as 'contact'] satisfies Record<string, unknown>),
        ).map((name) => inside + name),
      ),
      'contact.first_name',
      'contact.locale',
      'source.attribution',
      'source.page_path',
      'source.popup_version',
      'source.popup_campaign_id',
    ),
    anything,
  )
  .map(([field, bad]) => {
    const body = signUp(audienceId) as unknown as Record<string, unknown>
    const [outer, inner] = field.split('.') as [string, string | undefined]
    if (inner === undefined) body[outer] = bad
    else (body[outer] as Record<string, unknown>)[inner] = bad
    return { field, body: JSON.stringify(body) }
  })

describe('no input of source routes is answered with a 5xx', () => {
  test('any body and content type of a sign-up', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, types, (body, type) =>
        noServerError(
          { body: body.slice(0, 200), type },
          handIn(gateway, source.slug, { token: source.credential, body, headers: { 'content-type': type } }),
        ),
      ),
      runs,
    )
  })

  test('any value of one field of a valid sign-up, and any idempotency key', async () => {
    const keys = fc.oneof(fc.uuid(), fc.stringMatching(/^[\x20-\x7e]{0,220}$/))
    await fc.assert(
      fc.asyncProperty(bent, keys, ({ field, body }, key) =>
        noServerError(
          { field, body: body.slice(0, 400), key },
          handIn(gateway, source.slug, { token: source.credential, body, key }),
        ),
      ),
      { numRuns: 150 },
    )
  })

  test('any slug of a source, on every route that has one, for every kind of caller', async () => {
    const grant = await grantFor(gateway, source.id, 'events.write', 'audiences.read')
    const slugs = fc.oneof(
      fc.constantFrom(...nasty.filter((name) => name.length < 5_000)),
      fc.string({ unit: 'binary' }),
    )
    await fc.assert(
      fc.asyncProperty(slugs, async (slug) => {
        const segment = encodeURIComponent(slug.toWellFormed())
        for (const token of [source.credential, grant])
          await noServerError({ slug }, handIn(gateway, segment, { token, body: signUp(audienceId) }))
        const base = `${newsletter}/subscription-sources/${segment}`
        const headers = { authorization: `Bearer ${source.credential}` }
        await noServerError({ slug }, gateway.call('GET', `${base}/audiences`, { headers }))
        const body = { allowed_origins: [origin] }
        await noServerError({ slug }, gateway.call('PATCH', `${base}/origins`, { as: 'owner', body }))
        const console = `${consoleNewsletter}/subscription-sources/${segment}`
        await noServerError({ slug }, owner.call('POST', `${console}/credential`))
        await noServerError({ slug }, owner.call('DELETE', `${console}/credential`))
        await noServerError({ slug }, owner.call('POST', `${console}/status`, { body: { status: 'active' } }))
      }),
      { numRuns: 20 },
    )
  })

  test('any credential', async () => {
    const credentials = fc.oneof(
      fc.constantFrom(
        '',
        'Bearer',
        'Bearer lgs_',
        `Bearer lgs_${'x'.repeat(4_092)}`,
        `Bearer lgs_${'x'.repeat(5_000)}`,
      ),
      fc.stringMatching(/^Bearer (lgs_|wallet-grant-|wallet-session-)?[\x21-\x7e]{0,60}$/),
      fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
    )
    await fc.assert(
      fc.asyncProperty(credentials, async (authorization) => {
        const answer = await handIn(gateway, source.slug, {
          token: undefined,
          body: signUp(audienceId),
          headers: { authorization },
        })
        expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 })
      }),
      runs,
    )
  })

  test('any body of the routes that create and change sources', async () => {
    const routes = fc.constantFrom(
      ['POST', `${newsletter}/subscription-sources`],
      ['PATCH', `${newsletter}/subscription-sources/${source.slug}/origins`],
      ['POST', `${consoleNewsletter}/subscription-sources`],
      ['POST', `${consoleNewsletter}/subscription-sources/${source.slug}/status`],
    )
    const right = {
      slug: 'a',
      display_name: 'A',
      allowed_origins: [origin],
      allows_all_audiences: true,
      status: 'active',
    }
    const bentBody = fc
      .tuple(fc.constantFrom(...Object.keys(right), 'allowed_audience_ids'), fc.oneof(anything, fc.array(anything)))
      .map(([field, bad]) => JSON.stringify({ ...right, [field]: bad }))
    await fc.assert(
      fc.asyncProperty(routes, fc.oneof(bodies, bentBody), ([method, path], body) =>
        noServerError({ path, body: body.slice(0, 400) }, owner.call(method!, path!, { body })),
      ),
      { numRuns: 100 },
    )
  })
})
