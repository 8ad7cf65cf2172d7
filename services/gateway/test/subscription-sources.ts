import { randomUUID } from 'node:crypto'
import type { Browser } from './console-session.ts'
import { newsletter, type GatewayAnswer, type GatewayStage } from './gateway-stage.ts'

/** External sources for tests, created through the API and the console. */

export interface Source {
  id: string
  slug: string
  display_name: string
  status: string
  allows_all_audiences: boolean
  allowed_audience_ids: string[]
  allowed_origins: string[]
}

export const origin = 'https://www.acme.test'
export const consoleNewsletter = '/console/api/organizations/acme/workspaces/newsletter'

const freshSlug = () => `site-${randomUUID().slice(0, 8)}`

/** A source of the newsletter, without a credential. */
export async function createSource(gateway: GatewayStage, more: object = {}): Promise<Source> {
  const body = {
    slug: freshSlug(),
    display_name: 'Site',
    allowed_origins: [origin],
    allows_all_audiences: true,
    ...more,
  }
  const { status, json, text } = await gateway.call('POST', `${newsletter}/subscription-sources`, { as: 'owner', body })
  if (status !== 200) throw new Error(`creating a source answered ${status}: ${text}`)
  return json['source'] as Source
}

/** A source that was created at the console, with its credential. */
export async function credentialedSource(
  browser: Browser,
  more: object = {},
): Promise<Source & { credential: string }> {
  const body = {
    slug: freshSlug(),
    display_name: 'Site',
    allowed_origins: [origin],
    allows_all_audiences: true,
    ...more,
  }
  const { status, json, text } = await browser.call('POST', `${consoleNewsletter}/subscription-sources`, { body })
  if (status !== 200) throw new Error(`creating a source at the console answered ${status}: ${text}`)
  return { ...(json['source'] as Source), credential: json['credential'] as string }
}

/** A token of the wallet for this source. */
export async function grantFor(gateway: GatewayStage, sourceId: string, ...permissions: string[]): Promise<string> {
  return (await gateway.lever('/dev/grants', { source_id: sourceId, permissions }))['token'] as string
}

export interface SignUp {
  schema_version: unknown
  source_event_id: unknown
  destination_audience_id: unknown
  contact: Record<string, unknown>
  consent_granted: unknown
  captured_at: unknown
  consent: Record<string, unknown>
  source: Record<string, unknown>
}

/** A sign-up in the form of a website, with a new address. */
export const signUp = (audienceId: string): SignUp => ({
  schema_version: 'service.subscription-source-event.v1',
  source_event_id: randomUUID(),
  destination_audience_id: audienceId,
  contact: { email: `grace.${randomUUID().slice(0, 8)}@b.test` },
  consent_granted: true,
  captured_at: new Date().toISOString(),
  consent: {
    wording_id: 'footer',
    wording_sha256: 'a'.repeat(64),
    privacy_policy_url: 'https://www.acme.test/privacy',
    privacy_policy_version: '2026-01',
  },
  source: {
    form_id: 'footer',
    form_version: '3',
    page_origin: origin,
    evidence_schema_version: 'app.newsletter-consent-capture.v1',
  },
})

export interface HandIn {
  /** undefined: none is sent */
  token: string | undefined
  body: unknown
  key?: string | null
  workspace?: string
  headers?: Record<string, string>
}

/** Sends a sign-up to the route of the source with this slug. */
export function handIn(gateway: GatewayStage, slug: string, request: HandIn): Promise<GatewayAnswer> {
  const { token, body, key = randomUUID(), workspace = newsletter, headers = {} } = request
  return gateway.call('POST', `${workspace}/subscription-sources/${slug}/events`, {
    body,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === null ? {} : { 'idempotency-key': key }),
      ...headers,
    },
  })
}

export const audiencesOf = (
  gateway: GatewayStage,
  slug: string,
  token: string,
  workspace = newsletter,
): Promise<GatewayAnswer> =>
  gateway.call('GET', `${workspace}/subscription-sources/${slug}/audiences`, {
    headers: { authorization: `Bearer ${token}` },
  })
