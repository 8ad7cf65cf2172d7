import type {
  GetSourceCredentialRequest,
  GetSourceCredentialResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { notFound } from '../values/ids.ts'
import { findCredential } from './source-credential.entity.ts'
import { findSource } from './subscription-source.entity.ts'

/** The moment and the issuer of the valid credential of a source. Without one, only wallet grants are accepted. */
export async function getSourceCredential(
  ctx: Ctx,
  req: GetSourceCredentialRequest,
): Promise<Reply<typeof GetSourceCredentialResponseSchema>> {
  const { workspaceId } = ctx
  const credential = await ctx.tx(async (em) => {
    const source = await findSource(em, workspaceId, req.sourceSlug)
    if (!source) throw notFound('subscription source')
    return findCredential(em, workspaceId, source.id)
  })
  return credential
    ? { credential: { createdAt: moment(credential.created_at), createdBy: credential.created_by } }
    : {}
}
