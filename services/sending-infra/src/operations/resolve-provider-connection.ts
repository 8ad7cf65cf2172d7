import type {
  ResolveProviderConnectionRequest,
  ResolveProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { row, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { isId, missing } from '../domain/identifier.ts'

/**
 * Whose connection a webhook URL names: the one question that looks across workspaces, for the id is all the provider
 * sends. Answers for inactive and failed connections too, whose last events still have to arrive.
 */
export async function resolveProviderConnection(
  ctx: Ctx,
  req: ResolveProviderConnectionRequest,
): Promise<Reply<typeof ResolveProviderConnectionResponseSchema>> {
  if (!isId(req.connectionId)) throw missing('provider connection')
  const found = await ctx
    .acrossWorkspaces('resolve-provider-connection')
    .tx((em) =>
      row<{ workspace_id: string; webhook_signing_env_key: string | null }>(
        em,
        sql`select workspace_id, webhook_signing_env_key from provider_connections where id = ${req.connectionId}`,
      ),
    )
  if (!found) throw missing('provider connection')
  return {
    workspaceId: found.workspace_id,
    ...(found.webhook_signing_env_key === null ? {} : { webhookSigningEnvKey: found.webhook_signing_env_key }),
  }
}
