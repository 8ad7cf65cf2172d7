import { defineEntity, LockMode, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ProviderConnectionSchema } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf, type Em } from '@lettergate/database'
import { missing } from '../values/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { Obstacle } from '../provider/provider-problem.ts'

export const ProviderConnection = defineEntity({
  name: 'ProviderConnection',
  tableName: 'provider_connections',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    name: p.text(),
    region: p.text().$type<'us' | 'eu'>(),
    credentialEnvKey: p.text(),
    webhookSigningEnvKey: p.text().nullable(),
    connectionState: p.text().$type<'unchecked' | 'verified' | 'failed'>().default('unchecked'),
    isActive: p.boolean().default(false),
    checkedAt: p.datetime().nullable(),
    checkObstacle: p.text().$type<Obstacle>().nullable(),
    activatedAt: p.datetime().nullable(),
    activatedBy: p.text().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type ProviderConnection = InferEntity<typeof ProviderConnection>

/** The connection of this workspace with this id. Throws the same 404 for an unknown id and for another tenant's connection. */
export async function requireConnection(
  em: Em,
  workspaceId: string,
  id: string,
  lockMode = LockMode.NONE,
): Promise<ProviderConnection> {
  const found = isUuid(id)
    ? await em.findOne(ProviderConnection, { workspaceId, id }, { refresh: true, lockMode })
    : null
  if (!found) throw missing('provider connection')
  return found
}

/** Whether a connection exists. If so, it cannot be deleted until the transaction ends. */
export async function keepConnection(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await kyselyOf(em, ProviderConnection)
    .selectFrom('provider_connections')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

/** The connection of this workspace with this id, locked against changes, new domains and deletion until the transaction ends. */
export async function lockConnection(em: Em, workspaceId: string, id: string): Promise<ProviderConnection> {
  return requireConnection(em, workspaceId, id, LockMode.PESSIMISTIC_WRITE)
}

/** The default connection of a workspace: the newest active one, or the newest if none is active. */
export const defaultConnection = (em: Em, workspaceId: string): Promise<ProviderConnection | null> =>
  em.findOne(
    ProviderConnection,
    { workspaceId },
    { orderBy: [{ isActive: 'desc' }, { createdAt: 'desc' }, { id: 'desc' }] },
  )

/** The connection for the API. It has only the name of the credential, not its value. */
export const connectionReply = (connection: ProviderConnection): MessageInitShape<typeof ProviderConnectionSchema> => ({
  id: connection.id,
  name: connection.name,
  provider: 'mailprovider',
  region: connection.region,
  credentialEnvKey: connection.credentialEnvKey,
  ...(connection.webhookSigningEnvKey === null ? {} : { webhookSigningEnvKey: connection.webhookSigningEnvKey }),
  connectionState: connection.connectionState,
  isActive: connection.isActive,
  credentialValueExposed: false,
})
