import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  CreateProviderConnectionRequest,
  CreateProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderConnection, connectionReply } from '../db/provider-connection.entity.ts'
import { parseCredentialKey, requireNamable } from '../domain/credential-key.ts'
import { parseLine } from '../domain/plain-text.ts'
import { parseRegion } from '../domain/region.ts'
import { namableKeys } from '../verification/provider-keys.ts'

/** Records which account at the provider is meant, by the name of its credential. Unchecked and inactive; asks nobody. */
export async function createProviderConnection(
  ctx: Ctx,
  req: CreateProviderConnectionRequest,
): Promise<Reply<typeof CreateProviderConnectionResponseSchema>> {
  const name = parseLine(req.name, 'name')
  const credentialEnvKey = parseCredentialKey(req.credentialEnvKey, 'credential_env_key')
  const webhookSigningEnvKey =
    req.webhookSigningEnvKey === undefined
      ? null
      : parseCredentialKey(req.webhookSigningEnvKey, 'webhook_signing_env_key')
  const region = parseRegion(req.region ?? 'us')
  const mayName = await namableKeys(ctx)
  requireNamable(credentialEnvKey, 'credential_env_key', mayName)
  if (webhookSigningEnvKey !== null) requireNamable(webhookSigningEnvKey, 'webhook_signing_env_key', mayName)

  return ctx.tx(async (em) => {
    const connection = em.create(ProviderConnection, {
      id: newId(),
      workspaceId: ctx.workspaceId,
      name,
      region,
      credentialEnvKey,
      webhookSigningEnvKey,
      createdBy: ctx.caller.actor,
    })
    await em.flush()
    await publish(em, AuditRecordedSchema, {
      action: 'provider_connection_created',
      subjectType: 'provider_connection',
      subjectId: connection.id,
      actor: ctx.caller.actor,
      detail: { region, credential_env_key: credentialEnvKey },
    })
    return { providerConnection: connectionReply(connection) }
  })
}
