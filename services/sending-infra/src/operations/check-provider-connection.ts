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
import { explainCheck, type Obstacle } from '../domain/provider-problem.ts'
import { namableKeys } from '../verification/provider-keys.ts'

async function obstacleTo(ctx: Ctx, connection: ProviderConnection): Promise<Obstacle | undefined> {
  const mayName = await namableKeys(ctx)
  if (!mayName(connection.credentialEnvKey)) return 'credential_not_allowed'
  const credential = ctx.config.credential(connection.credentialEnvKey)
  if (credential === undefined) return 'missing_credential'
  const answer = await ctx.provider.checkCredential(
    { connectionId: connection.id, region: connection.region, credential },
    ctx.signal,
  )
  return answer.ok ? undefined : answer.problem
}

/**
 * Asks the provider whether it takes the credential, and keeps the verdict. Not working is an answer, not an error. The
 * verdict is not kept when the connection was pointed elsewhere meanwhile.
 */
export async function checkProviderConnection(
  ctx: Ctx,
  req: CheckProviderConnectionRequest,
): Promise<Reply<typeof CheckProviderConnectionResponseSchema>> {
  const asked = await ctx.tx((em) => requireConnection(em, ctx.workspaceId, req.connectionId))
  const obstacle = await obstacleTo(ctx, asked)
  const checkedAt = ctx.now()
  const ok = obstacle === undefined

  return ctx.tx(async (em) => {
    await em.nativeUpdate(
      ProviderConnection,
      { workspaceId: ctx.workspaceId, id: asked.id, region: asked.region, credentialEnvKey: asked.credentialEnvKey },
      { connectionState: ok ? 'verified' : 'failed', checkedAt, checkObstacle: obstacle ?? null },
    )
    const connection = await requireConnection(em, ctx.workspaceId, asked.id)
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
