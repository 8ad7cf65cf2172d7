import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ProviderConnectionSchema } from '@lettergate/contracts/sending/v1/sending'
import { row, sql, type Em } from '@lettergate/database'
import { missing } from '../domain/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { Obstacle } from '../domain/provider-problem.ts'

export const ProviderConnections = defineEntity({
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

export type ProviderConnection = InferEntity<typeof ProviderConnections>

/** The connection of this workspace with that id, or the 404 that hides whether anybody else has it. */
export async function requireConnection(em: Em, workspaceId: string, id: string): Promise<ProviderConnection> {
  const found = isUuid(id) ? await em.findOne(ProviderConnections, { workspaceId, id }, { refresh: true }) : null
  if (!found) throw missing('provider connection')
  return found
}

/** Whether a connection is there; if so, nobody takes it away until the transaction ends. */
export async function keepConnection(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await row(
    em,
    sql`select 1 from provider_connections where workspace_id = ${workspaceId} and id = ${id} for key share`,
  )
  return found !== undefined
}

/** The connection of this workspace with that id, and nobody changes it, binds a domain to it or takes it away until the transaction ends. */
export async function lockConnection(em: Em, workspaceId: string, id: string): Promise<ProviderConnection> {
  if (isUuid(id))
    await row(em, sql`select 1 from provider_connections where workspace_id = ${workspaceId} and id = ${id} for update`)
  return requireConnection(em, workspaceId, id)
}

/** The one a workspace means when it names none: the newest active one, or the newest while none is active. */
export async function usualConnection(em: Em, workspaceId: string): Promise<ProviderConnection | null> {
  const found = await row<{ id: string }>(
    em,
    sql`select id from provider_connections where workspace_id = ${workspaceId} order by is_active desc, created_at desc, id desc limit 1`,
  )
  return found ? em.findOne(ProviderConnections, { workspaceId, id: found.id }) : null
}

/** As the API shows it. There is no credential to expose: only its name is known here. */
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
