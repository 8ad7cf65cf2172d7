import type {
  ResolveProviderConnectionRequest,
  ResolveProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { row, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { missing } from '../domain/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import { namableKeys } from '../verification/provider-keys.ts'

/**
 * Whose connection a webhook URL names: the one question that looks across workspaces, for the id is all the provider
 * sends. Answers for inactive and failed connections too, whose last events still have to arrive. A signing key that the
 * organization may not name is left out, so that nothing signed with it is believed.
 */
export async function resolveProviderConnection(
  ctx: Ctx,
  req: ResolveProviderConnectionRequest,
): Promise<Reply<typeof ResolveProviderConnectionResponseSchema>> {
  if (!isUuid(req.connectionId)) throw missing('provider connection')
  const found = await ctx
    .acrossWorkspaces('resolve-provider-connection')
    .tx((em) =>
      row<{ workspace_id: string; webhook_signing_env_key: string | null }>(
        em,
        sql`select workspace_id, webhook_signing_env_key from provider_connections where id = ${req.connectionId}`,
      ),
    )
  if (!found) throw missing('provider connection')
  const signingKey = found.webhook_signing_env_key
  const isAllowed = signingKey !== null && (await namableKeys(ctx.inWorkspace(found.workspace_id)))(signingKey)
  return {
    workspaceId: found.workspace_id,
    ...(isAllowed ? { webhookSigningEnvKey: signingKey } : {}),
  }
}
