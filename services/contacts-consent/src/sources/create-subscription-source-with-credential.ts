import type {
  CreateSubscriptionSourceWithCredentialRequest,
  CreateSubscriptionSourceWithCredentialResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { issueCredential } from './source-credential.entity.ts'
import { sourceMessage } from './subscription-source.entity.ts'
import { createSource, parseSource } from './create-source.ts'

/** Creates a source with a static credential. Only this answer contains the credential. */
export async function createSubscriptionSourceWithCredential(
  ctx: Ctx,
  req: CreateSubscriptionSourceWithCredentialRequest,
): Promise<Reply<typeof CreateSubscriptionSourceWithCredentialResponseSchema>> {
  const { workspaceId } = ctx
  const { actor } = ctx.caller
  const source = parseSource(req)
  const credential = await ctx.tx(async (em) => {
    await createSource(em, { workspaceId, actor }, source)
    return issueCredential(em, { workspaceId, sourceId: source.id, actor })
  })
  return { source: sourceMessage(source), credential }
}
