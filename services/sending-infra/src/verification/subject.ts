import { Fault } from '@lettergate/fault'
import type { Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import type { SendingDomain } from '../db/sending-domain.entity.ts'
import { obstacleFault } from '../provider/provider-problem.ts'
import { webhookUrlOf } from '../provider/provider-webhooks.ts'
import type { ProviderAccount } from '../provider/mailgun/mailgun.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'
import type { IsAllowedKey } from '../connections/provider-keys.ts'

/** The input of a domain check. It is kept in memory, so that no transaction is open during the check. */
export interface CheckInput {
  readonly domainId: string
  readonly domainName: string
  readonly dkimSelector: string | null
  readonly access: ProviderAccount
  readonly trackingDomain: string | null
  /** the records that the provider required at the last check */
  readonly records: readonly ProviderRecord[]
  readonly webhookUrl: string
}

/** The connection of a domain. Throws Fault `failed_precondition` without one. */
export async function connectionOf(em: Em, workspaceId: string, domain: SendingDomain): Promise<ProviderConnection> {
  const id = domain.providerConnectionId
  const connection = id == null ? null : await em.findOne(ProviderConnection, { workspaceId, id })
  if (!connection)
    throw new Fault(
      'failed_precondition',
      'provider_connection',
      'The sending domain has no provider connection. Assign one first.',
    )
  return connection
}

/** The account and credential of a connection. Throws Fault `failed_precondition` if the credential is missing or not allowed. */
export function accountOf(
  ctx: Ctx,
  connection: Pick<ProviderConnection, 'id' | 'region' | 'credentialEnvKey'>,
  isAllowedKey: IsAllowedKey,
): ProviderAccount {
  if (!isAllowedKey(connection.credentialEnvKey)) throw obstacleFault('credential_not_allowed')
  const credential = ctx.config.credential(connection.credentialEnvKey)
  if (credential === undefined) throw obstacleFault('missing_credential')
  return { connectionId: connection.id, region: connection.region, credential }
}

export const checkInputOf = (
  ctx: Ctx,
  domain: SendingDomain,
  connection: ProviderConnection,
  isAllowedKey: IsAllowedKey,
): CheckInput => ({
  domainId: domain.id,
  domainName: domain.domainName,
  dkimSelector: domain.dkimSelector ?? null,
  access: accountOf(ctx, connection, isAllowedKey),
  trackingDomain: domain.trackingDomain ?? null,
  records: domain.providerRecords,
  webhookUrl: webhookUrlOf(ctx.config.baseUrl, connection.id),
})
