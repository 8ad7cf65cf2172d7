import type {
  ResolveProviderConnectionRequest,
  ResolveProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
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
    .tx((em) => em.findOne(ProviderConnection, { id: req.connectionId }))
  if (!found) throw missing('provider connection')
  const signingKey = found.webhookSigningEnvKey ?? null
  const isAllowed = signingKey !== null && (await namableKeys(ctx.inWorkspace(found.workspaceId)))(signingKey)
  return {
    workspaceId: found.workspaceId,
    ...(isAllowed ? { webhookSigningEnvKey: signingKey } : {}),
  }
}
