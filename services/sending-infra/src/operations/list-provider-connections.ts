import type {
  ListProviderConnectionsRequest,
  ListProviderConnectionsResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import type { Region } from '../domain/region.ts'
import { moment } from '@lettergate/values/moment'
import { explainCheck, type Obstacle } from '../domain/provider-problem.ts'
import { webhookUrlOf } from '../domain/provider-webhooks.ts'
import { namableKeys, type MayName } from '../verification/provider-keys.ts'

interface ConnectionRow {
  id: string
  name: string
  region: Region
  credential_env_key: string
  webhook_signing_env_key: string | null
  connection_state: string
  is_active: boolean
  check_obstacle: Obstacle | null
  checked_at: string | null
  activated_at: string | null
  created_at: string
  domain_names: string[]
}

/** Every connection of the workspace, newest first, with its last check, its webhook URL and the domains read through it. */
export async function listProviderConnections(
  ctx: Ctx,
  _req: ListProviderConnectionsRequest,
): Promise<Reply<typeof ListProviderConnectionsResponseSchema>> {
  const mayName = await namableKeys(ctx)
  const found = await ctx.tx((em) =>
    rows<ConnectionRow>(
      em,
      sql`select c.id, c.name, c.region, c.credential_env_key, c.webhook_signing_env_key, c.connection_state, c.is_active,
                 c.check_obstacle, c.checked_at, c.activated_at, c.created_at,
                 array(select d.domain_name from sending_domains d where d.workspace_id = c.workspace_id and d.provider_connection_id = c.id order by 1) as domain_names
            from provider_connections c where c.workspace_id = ${ctx.workspaceId} order by c.created_at desc, c.id desc`,
    ),
  )
  return {
    providerConnections: found.map((connection) => ({
      id: connection.id,
      name: connection.name,
      provider: 'mailprovider',
      region: connection.region,
      credentialEnvKey: connection.credential_env_key,
      webhookSigningEnvKey: connection.webhook_signing_env_key ?? undefined,
      ...standingOf(connection, mayName),
      credentialValueExposed: false,
      checkedAt: moment(connection.checked_at),
      activatedAt: moment(connection.activated_at),
      webhookUrl: webhookUrlOf(ctx.config.baseUrl, connection.id),
      domainNames: connection.domain_names,
      createdAt: moment(connection.created_at),
    })),
  }
}

/** What the last check left; a key that the organization may not name (any more) keeps the connection from being used, whatever that was. */
const standingOf = (connection: ConnectionRow, mayName: MayName) =>
  mayName(connection.credential_env_key)
    ? {
        connectionState: connection.connection_state,
        isActive: connection.is_active,
        checkDetail: connection.checked_at === null ? undefined : explainCheck(connection.check_obstacle),
      }
    : { connectionState: 'failed', isActive: false, checkDetail: explainCheck('credential_not_allowed') }
