import type {
  ListProviderConnectionsRequest,
  ListProviderConnectionsResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import { kyselyOf, type Row } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import { SendingDomain } from '../db/sending-domain.entity.ts'
import { moment } from '@lettergate/values/moment'
import { explainCheck } from '../provider/provider-problem.ts'
import { webhookUrlOf } from '../provider/provider-webhooks.ts'
import { allowedKeys, type IsAllowedKey } from './provider-keys.ts'

/** Every connection of the workspace, newest first, with its last check, its webhook URL and its domains. */
export async function listProviderConnections(
  ctx: Ctx,
  _req: ListProviderConnectionsRequest,
): Promise<Reply<typeof ListProviderConnectionsResponseSchema>> {
  const isAllowedKey = await allowedKeys(ctx)
  const found = await ctx.tx((em) =>
    kyselyOf(em, ProviderConnection, SendingDomain)
      .selectFrom('provider_connections as c')
      .selectAll('c')
      .select((eb) =>
        eb
          .selectFrom('sending_domains as d')
          .select((names) =>
            names.fn.agg<string[]>('array_agg', ['d.domain_name']).orderBy('d.domain_name').as('names'),
          )
          .whereRef('d.workspace_id', '=', 'c.workspace_id')
          .whereRef('d.provider_connection_id', '=', 'c.id')
          .as('domain_names'),
      )
      .where('c.workspace_id', '=', ctx.workspaceId)
      .orderBy('c.created_at', 'desc')
      .orderBy('c.id', 'desc')
      .execute(),
  )
  return {
    providerConnections: found.map((connection) => ({
      id: connection.id,
      name: connection.name,
      provider: 'mailprovider',
      region: connection.region,
      credentialEnvKey: connection.credential_env_key,
      webhookSigningEnvKey: connection.webhook_signing_env_key ?? undefined,
      ...statusOf(connection, isAllowedKey),
      credentialValueExposed: false,
      checkedAt: moment(connection.checked_at),
      activatedAt: moment(connection.activated_at),
      webhookUrl: webhookUrlOf(ctx.config.baseUrl, connection.id),
      domainNames: connection.domain_names ?? [],
      createdAt: moment(connection.created_at),
    })),
  }
}

/** The status from the last check. A connection with a key that the organization may not use is failed in any case. */
const statusOf = (connection: Row<typeof ProviderConnection>, isAllowedKey: IsAllowedKey) =>
  isAllowedKey(connection.credential_env_key)
    ? {
        connectionState: connection.connection_state,
        isActive: connection.is_active,
        checkDetail: connection.checked_at === null ? undefined : explainCheck(connection.check_obstacle),
      }
    : { connectionState: 'failed', isActive: false, checkDetail: explainCheck('credential_not_allowed') }
