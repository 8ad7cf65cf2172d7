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
import { parseCredentialKey, requireAllowedKey } from './credential-key.ts'
import { parseLine } from '../values/plain-text.ts'
import { parseRegion } from '../provider/region.ts'
import { allowedKeys } from './provider-keys.ts'

/** Creates a connection to a provider account by the name of its credential. It is unchecked and inactive. It makes no call to the provider. */
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
  const isAllowedKey = await allowedKeys(ctx)
  requireAllowedKey(credentialEnvKey, 'credential_env_key', isAllowedKey)
  if (webhookSigningEnvKey !== null) requireAllowedKey(webhookSigningEnvKey, 'webhook_signing_env_key', isAllowedKey)

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
