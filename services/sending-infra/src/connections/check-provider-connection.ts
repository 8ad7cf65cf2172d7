import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  CheckProviderConnectionRequest,
  CheckProviderConnectionResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { connectionReply, requireConnection, ProviderConnection } from '../db/provider-connection.entity.ts'
import { announceDomainsOf } from '../db/sending-domain.entity.ts'
import { explainCheck, type Obstacle } from '../provider/provider-problem.ts'
import { allowedKeys } from './provider-keys.ts'

async function obstacleTo(ctx: Ctx, connection: ProviderConnection): Promise<Obstacle | undefined> {
  const isAllowedKey = await allowedKeys(ctx)
  if (!isAllowedKey(connection.credentialEnvKey)) return 'credential_not_allowed'
  const credential = ctx.config.credential(connection.credentialEnvKey)
  if (credential === undefined) return 'missing_credential'
  const answer = await ctx.provider.checkCredential(
    { connectionId: connection.id, region: connection.region, credential },
    ctx.signal,
  )
  return answer.ok ? undefined : answer.problem
}

/**
 * Asks the provider whether it accepts the credential, and stores the verdict. A refused credential is an answer, not an error.
 * The verdict is not stored if the region or the key of the connection changed in the meantime.
 */
export async function checkProviderConnection(
  ctx: Ctx,
  req: CheckProviderConnectionRequest,
): Promise<Reply<typeof CheckProviderConnectionResponseSchema>> {
  const before = await ctx.tx((em) => requireConnection(em, ctx.workspaceId, req.connectionId))
  const obstacle = await obstacleTo(ctx, before)
  const checkedAt = ctx.now()
  const ok = obstacle === undefined

  return ctx.tx(async (em) => {
    await em.nativeUpdate(
      ProviderConnection,
      { workspaceId: ctx.workspaceId, id: before.id, region: before.region, credentialEnvKey: before.credentialEnvKey },
      { connectionState: ok ? 'verified' : 'failed', checkedAt, checkObstacle: obstacle ?? null },
    )
    const connection = await requireConnection(em, ctx.workspaceId, before.id)
    if (!ok) await announceDomainsOf(em, ctx.workspaceId, connection.id)
    await publish(em, AuditRecordedSchema, {
      action: 'provider_connection_checked',
      subjectType: 'provider_connection',
      subjectId: connection.id,
      actor: ctx.caller.actor,
      detail: { ok, obstacle: obstacle ?? null },
    })
    return {
      providerConnection: connectionReply(connection),
      check: { ok, detail: explainCheck(obstacle), checkedAt: timestampFromDate(checkedAt) },
    }
  })
}
