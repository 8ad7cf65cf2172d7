import type { Scene } from './scene.ts'
import type { ReportRow } from './table.ts'

/** A provider connection whose key is not set: its check fails, it cannot be activated, and the console deletes it. */
export async function checkMissingKey({ api, browser, workspace, atConsole, print }: Scene): Promise<ReportRow[]> {
  const { provider_connection: connection } = await api.ok<{ provider_connection: { id: string } }>(
    'POST',
    `${workspace}/provider-connections`,
    { name: 'Without a key', credential_env_key: 'MAILPROVIDER_MISSING_KEY' },
  )
  const checked = await api.ok<{
    provider_connection: { connection_state: string }
    check: { ok: boolean; detail: string }
  }>('POST', `${workspace}/provider-connections/${connection.id}/check`)
  const activated = await api.call('POST', `${workspace}/provider-connections/${connection.id}/activate`, {
    confirmation: 'ENABLE TEST CONNECTION',
  })
  const otherName = await api.call('POST', `${workspace}/provider-connections`, {
    name: 'Not the provider’s',
    credential_env_key: 'DATABASE_URL',
  })
  const deleted = await browser.call('DELETE', `${atConsole}/provider-connections/${connection.id}`)
  print(`MAILPROVIDER_MISSING_KEY is not set, and the check says so: “${checked.check.detail}”`)
  print(`a name that is not the provider's is refused: “${otherName.text}”`)
  return [
    { name: 'check of the missing key', actual: checked.check.ok, expected: false },
    { name: 'state of the connection', actual: checked.provider_connection.connection_state, expected: 'failed' },
    { name: 'activating it', actual: activated.status, expected: 422 },
    { name: 'naming DATABASE_URL', actual: otherName.status, expected: 422 },
    { name: 'deleting it at the console', actual: deleted.status, expected: 200 },
  ]
}
