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
import { explainCheck } from '../domain/provider-problem.ts'
import { webhookUrlOf } from '../domain/provider-webhooks.ts'
import { namableKeys, type MayName } from '../verification/provider-keys.ts'

/** Every connection of the workspace, newest first, with its last check, its webhook URL and the domains read through it. */
export async function listProviderConnections(
  ctx: Ctx,
  _req: ListProviderConnectionsRequest,
): Promise<Reply<typeof ListProviderConnectionsResponseSchema>> {
  const mayName = await namableKeys(ctx)
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
      ...standingOf(connection, mayName),
      credentialValueExposed: false,
      checkedAt: moment(connection.checked_at),
      activatedAt: moment(connection.activated_at),
      webhookUrl: webhookUrlOf(ctx.config.baseUrl, connection.id),
      domainNames: connection.domain_names ?? [],
      createdAt: moment(connection.created_at),
    })),
  }
}

/** What the last check left; a key that the organization may not name (any more) keeps the connection from being used, whatever that was. */
const standingOf = (connection: Row<typeof ProviderConnection>, mayName: MayName) =>
  mayName(connection.credential_env_key)
    ? {
        connectionState: connection.connection_state,
        isActive: connection.is_active,
        checkDetail: connection.checked_at === null ? undefined : explainCheck(connection.check_obstacle),
      }
    : { connectionState: 'failed', isActive: false, checkDetail: explainCheck('credential_not_allowed') }
