import type {
  RevokeSourceCredentialRequest,
  RevokeSourceCredentialResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { revokeCredential } from './source-credential.entity.ts'
import { lockSource } from './subscription-source.entity.ts'
import { notFound } from '../values/ids.ts'
import { auditSource } from './create-source.ts'

/** Revokes the static credential of a source permanently. Its grants stay. The answer is the same for a source without a credential. */
export async function revokeSourceCredential(
  ctx: Ctx,
  req: RevokeSourceCredentialRequest,
): Promise<Reply<typeof RevokeSourceCredentialResponseSchema>> {
  const { workspaceId } = ctx
  const { actor } = ctx.caller
  await ctx.tx(async (em) => {
    const source = await lockSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    if (await revokeCredential(em, { workspaceId, sourceId: source.id, actor })) {
      await auditSource(em, source, { action: 'source_credential_revoked', actor })
    }
  })
  return { deleted: true }
}
