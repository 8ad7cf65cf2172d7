import { randomUUID } from 'node:crypto'
import { newsletter, type GatewayStage } from './gateway-stage.ts'

/** Objects that tests need, created through the API. */

async function made<T>(gateway: GatewayStage, path: string, body: object): Promise<T> {
  const { status, json, text } = await gateway.call('POST', path, { as: 'owner', body })
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`)
  return json as T
}

/** Creates a contact of the newsletter; returns its id. */
export async function contact(gateway: GatewayStage, more: object = {}): Promise<string> {
  const body = { email: `ada.${randomUUID().slice(0, 8)}@b.test`, source: 'test', ...more }
  return (await made<{ contact: { id: string } }>(gateway, `${newsletter}/contacts/upsert`, body)).contact.id
}

/** Creates an audience of the newsletter; returns its id. */
export async function audience(gateway: GatewayStage, name = 'News & <Views>'): Promise<string> {
  const body = { name, slug: `a-${randomUUID().slice(0, 8)}`, purpose: 'tests' }
  return (await made<{ audience: { id: string } }>(gateway, `${newsletter}/audiences`, body)).audience.id
}

export interface Subscriber {
  contactId: string
  /** of the link in the emails of this audience */
  token: string
}

/** A contact that consented to the audience, with the unsubscribe link. */
export async function subscriber(gateway: GatewayStage, audienceId: string, more: object = {}): Promise<Subscriber> {
  const contactId = await contact(gateway, more)
  await made(gateway, `${newsletter}/audiences/${audienceId}/subscribe`, {
    contact_id: contactId,
    source: 'test',
    wording_version: '1',
  })
  const link = await made<{ preference_url: string }>(gateway, `${newsletter}/contacts/${contactId}/preference-token`, {
    scope: 'audience',
    audience_id: audienceId,
  })
  return { contactId, token: link.preference_url.split('/').at(-1)! }
}

/** Whether the API says that the contact may receive email of this audience. */
export async function isEligible(gateway: GatewayStage, contactId: string, audienceId: string): Promise<boolean> {
  const path = `${newsletter}/contacts/${contactId}/eligibility/${audienceId}`
  const { json } = await gateway.call('GET', path, { as: 'analyst' })
  return (json['eligibility'] as { eligible: boolean }).eligible
}

/** A disabled sender on a verified domain. */
export async function readySender(gateway: GatewayStage, workspace: string): Promise<void> {
  const post = <T>(path: string, body: object = {}) => made<T>(gateway, `${workspace}${path}`, body)
  const { provider_connection: connection } = await post<{ provider_connection: { id: string } }>(
    '/provider-connections',
    { name: 'Provider', credential_env_key: 'MAILPROVIDER_API_KEY' },
  )
  await post(`/provider-connections/${connection.id}/check`)
  await post(`/provider-connections/${connection.id}/activate`, { confirmation: 'ENABLE TEST CONNECTION' })
  const { sending_domain: domain } = await post<{ sending_domain: { id: string } }>('/sending-domains', {
    domain_name: 'mail.acme.test',
  })
  await post(`/sending-domains/${domain.id}/readiness`, { quota_state: 'approved' })
  await post(`/sending-domains/${domain.id}/register-webhooks`)
  await post('/sender-identities', {
    sending_domain_id: domain.id,
    display_name: 'Acme',
    from_address: 'news@mail.acme.test',
    reply_to: 'hello@acme.test',
  })
}
