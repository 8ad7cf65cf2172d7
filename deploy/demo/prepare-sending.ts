import type { Stack } from '@lettergate/local/launcher/state'
import { openApi, signInAs, type Api } from './api.ts'

/** The sender that campaigns use. */
export interface Sending {
  senderId: string
}

const domainName = 'mail.acme.test'

/** Sets up the connection, the domain with its DNS and webhooks, and the sender, and opens the gates, each with its confirmation. */
export async function prepareSending(
  api: Api,
  workspace: string,
  stack: Pick<Stack, 'base_url'>,
  print: (line: string) => void,
): Promise<Sending> {
  const { provider_connection: connection } = await api.ok<{ provider_connection: { id: string } }>(
    'POST',
    `${workspace}/provider-connections`,
    {
      name: 'Local mail provider',
      credential_env_key: 'MAILPROVIDER_API_KEY',
      webhook_signing_env_key: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
      region: 'us',
    },
  )
  const { check } = await api.ok<{ check: { ok: boolean; detail: string } }>(
    'POST',
    `${workspace}/provider-connections/${connection.id}/check`,
  )
  if (!check.ok) throw new Error(`the provider connection does not work: ${check.detail}`)
  await api.ok('POST', `${workspace}/provider-connections/${connection.id}/activate`, {
    confirmation: 'ENABLE TEST CONNECTION',
  })
  print('connection checked and active')

  const made = await api.ok<{ sending_domain: { id: string } }>('POST', `${workspace}/sending-domains`, {
    domain_name: domainName,
  })
  const domain = `${workspace}/sending-domains/${made.sending_domain.id}`
  await api.ok('POST', `${domain}/readiness`, { quota_state: 'approved', notes: 'demo' })
  const registered = await api.ok<{ refused: string[] }>('POST', `${domain}/register-webhooks`)
  const verified = await api.ok<{ check: { is_ready: boolean }; sending_domain: Record<string, string> }>(
    'POST',
    `${domain}/verify`,
  )
  if (!verified.check.is_ready || registered.refused.length > 0)
    throw new Error(`${domainName} is not ready: ${JSON.stringify(verified)}`)
  print(`${domainName}: SPF, DKIM, DMARC, alignment and eight webhooks verified by live DNS and provider reads`)

  const { sender_identity: sender } = await api.ok<{ sender_identity: { id: string } }>(
    'POST',
    `${workspace}/sender-identities`,
    {
      sending_domain_id: made.sending_domain.id,
      display_name: 'Åsa at Acme',
      from_address: `asa@${domainName}`,
      reply_to: `reply@${domainName}`,
    },
  )
  const refused = await api.call('POST', `${workspace}/sender-identities/${sender.id}/activate`, {
    confirmation: 'ACTIVATE PRODUCTION SENDING',
  })
  if (refused.status !== 422) throw new Error(`activating a sender behind a closed gate answered ${refused.status}`)
  print(`the gate is closed, so activating the sender is refused: “${refused.text.slice(0, 140)}”`)

  const owner = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  await owner.ok('PUT', '/console/api/platform/gates/production_sending_enabled', { enabled: true })
  await owner.close()
  await api.ok('POST', `${workspace}/sender-identities/${sender.id}/activate`, {
    confirmation: 'ACTIVATE PRODUCTION SENDING',
  })
  await api.ok('POST', `${workspace}/activate-sending`, {
    confirmation: 'ACTIVATE PRODUCTION SENDING',
    quota_reviewed: true,
  })
  print('the gate was opened at the console; sender and workspace are active')
  return { senderId: sender.id }
}
