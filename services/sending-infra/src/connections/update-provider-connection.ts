import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  UpdateProviderConnectionRequest,
  UpdateProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import {
  connectionReply,
  lockConnection,
  requireConnection,
  ProviderConnection,
} from '../db/provider-connection.entity.ts'
import { announceDomainsOf, invalidateChecks } from '../db/sending-domain.entity.ts'
import { parseCredentialKey, requireAllowedKey } from './credential-key.ts'
import { givenBy } from '../values/given.ts'
import { parseLine } from '../values/plain-text.ts'
import { parseRegion } from '../provider/region.ts'
import { allowedKeys } from './provider-keys.ts'

function changesOf(req: UpdateProviderConnectionRequest) {
  const isGiven = givenBy(req.updateMask)
  const { webhookSigningEnvKey: signingKey } = req
  return {
    ...(isGiven('name', req.name) ? { name: parseLine(req.name ?? '', 'name') } : {}),
    ...(isGiven('credential_env_key', req.credentialEnvKey)
      ? { credentialEnvKey: parseCredentialKey(req.credentialEnvKey ?? '', 'credential_env_key') }
      : {}),
    ...(isGiven('region', req.region) ? { region: parseRegion(req.region ?? '') } : {}),
    ...(isGiven('webhook_signing_env_key', signingKey)
      ? {
          webhookSigningEnvKey:
            signingKey === undefined ? null : parseCredentialKey(signingKey, 'webhook_signing_env_key'),
        }
      : {}),
  }
}

/**
 * Changes the given fields. A new credential or region means another account: the connection becomes unchecked and inactive, and
 * all checks through it are invalid until its domains are checked again.
 */
export async function updateProviderConnection(
  ctx: Ctx,
  req: UpdateProviderConnectionRequest,
): Promise<Reply<typeof UpdateProviderConnectionResponseSchema>> {
  const { workspaceId } = ctx
  const given = changesOf(req)
  const isAllowedKey = await allowedKeys(ctx)
  if (given.credentialEnvKey !== undefined)
    requireAllowedKey(given.credentialEnvKey, 'credential_env_key', isAllowedKey)
  if (given.webhookSigningEnvKey != null)
    requireAllowedKey(given.webhookSigningEnvKey, 'webhook_signing_env_key', isAllowedKey)
  return ctx.tx(async (em) => {
    const before = await lockConnection(em, workspaceId, req.connectionId)
    const after = { ...before, ...given }
    const changed = (['name', 'credentialEnvKey', 'region', 'webhookSigningEnvKey'] as const).filter(
      (field) => after[field] !== before[field],
    )
    if (changed.length > 0) {
      const isMoved = changed.includes('credentialEnvKey') || changed.includes('region')
      const { name, credentialEnvKey, region, webhookSigningEnvKey } = after
      await em.nativeUpdate(
        ProviderConnection,
        { workspaceId, id: before.id },
        { name, credentialEnvKey, region, webhookSigningEnvKey },
      )
      if (isMoved) {
        await em.nativeUpdate(
          ProviderConnection,
          { workspaceId, id: before.id },
          { connectionState: 'unchecked', isActive: false, checkedAt: null, checkObstacle: null },
        )
        await invalidateChecks(em, workspaceId, before.id)
        await announceDomainsOf(em, workspaceId, before.id)
      }
      await publish(em, AuditRecordedSchema, {
        action: 'provider_connection_updated',
        subjectType: 'provider_connection',
        subjectId: before.id,
        actor: ctx.caller.actor,
        detail: {
          name: after.name,
          region: after.region,
          credential_env_key: after.credentialEnvKey,
          webhook_signing_env_key: after.webhookSigningEnvKey ?? null,
          reset: isMoved,
        },
      })
    }
    return { providerConnection: connectionReply(await requireConnection(em, workspaceId, before.id)) }
  })
}
