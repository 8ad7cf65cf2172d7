import type {
  ResolveProviderConnectionRequest,
  ResolveProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection } from '../db/provider-connection.entity.ts'
import { missing } from '../values/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import { allowedKeys } from './provider-keys.ts'

/**
 * Finds the workspace of the connection in a webhook URL. It searches all workspaces, because the provider sends only the id. It
 * also answers for inactive and failed connections, because their last events must still arrive. A signing key that the
 * organization may not use is left out, so that its signatures are not trusted.
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
  const isAllowed = signingKey !== null && (await allowedKeys(ctx.inWorkspace(found.workspaceId)))(signingKey)
  return {
    workspaceId: found.workspaceId,
    ...(isAllowed ? { webhookSigningEnvKey: signingKey } : {}),
  }
}
