import { Fault } from '@lettergate/fault'
import type { Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import type { SendingDomain } from '../db/sending-domain.entity.ts'
import { obstacleFault } from '../domain/provider-problem.ts'
import { webhookUrlOf } from '../domain/provider-webhooks.ts'
import type { ProviderAccess } from '../provider/mailgun/mailgun.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'
import type { MayName } from './provider-keys.ts'

/** What a look at a domain needs, held in memory while no transaction is open. */
export interface Subject {
  readonly domainId: string
  readonly domainName: string
  readonly dkimSelector: string | null
  readonly access: ProviderAccess
  readonly trackingDomain: string | null
  /** what the provider wanted published when it was last asked */
  readonly records: readonly ProviderRecord[]
  readonly webhookUrl: string
}

/** The connection that a domain is read through, or the 422 that says there is none. */
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

/** The right to ask the provider in a connection's name. A credential that is not there, or not the organization's, is a 422. */
export function accessOf(
  ctx: Ctx,
  connection: Pick<ProviderConnection, 'id' | 'region' | 'credentialEnvKey'>,
  mayName: MayName,
): ProviderAccess {
  if (!mayName(connection.credentialEnvKey)) throw obstacleFault('credential_not_allowed')
  const credential = ctx.config.credential(connection.credentialEnvKey)
  if (credential === undefined) throw obstacleFault('missing_credential')
  return { connectionId: connection.id, region: connection.region, credential }
}

export const subjectOf = (
  ctx: Ctx,
  domain: SendingDomain,
  connection: ProviderConnection,
  mayName: MayName,
): Subject => ({
  domainId: domain.id,
  domainName: domain.domainName,
  dkimSelector: domain.dkimSelector ?? null,
  access: accessOf(ctx, connection, mayName),
  trackingDomain: domain.trackingDomain ?? null,
  records: domain.providerRecords,
  webhookUrl: webhookUrlOf(ctx.config.baseUrl, connection.id),
})
