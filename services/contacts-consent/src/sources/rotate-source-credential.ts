import type {
  RotateSourceCredentialRequest,
  RotateSourceCredentialResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { issueCredential, revokeCredential } from './source-credential.entity.ts'
import { lockSource, sourceMessage } from './subscription-source.entity.ts'
import { notFound } from '../values/ids.ts'
import { auditSource } from './create-source.ts'

/**
 * Issues a new static credential for a source, also the first one. The previous credential is refused after the commit. Of two
 * concurrent rotations, the credential of the later one is valid.
 */
export async function rotateSourceCredential(
  ctx: Ctx,
  req: RotateSourceCredentialRequest,
): Promise<Reply<typeof RotateSourceCredentialResponseSchema>> {
  const { workspaceId } = ctx
  const { actor } = ctx.caller
  return ctx.tx(async (em) => {
    const source = await lockSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    const whose = { workspaceId, sourceId: source.id, actor }
    const hadOne = await revokeCredential(em, whose)
    const credential = await issueCredential(em, whose)
    await auditSource(em, source, {
      action: hadOne ? 'source_credential_rotated' : 'source_credential_issued',
      actor,
    })
    return { source: sourceMessage(source), credential }
  })
}
