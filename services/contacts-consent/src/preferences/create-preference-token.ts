import type {
  CreatePreferenceTokenRequest,
  CreatePreferenceTokenResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findAudience } from '../audiences/audience.entity.ts'
import { contactExists } from '../contacts/contact.entity.ts'
import { bodyId, notFound, pathId, unknownReference } from '../values/ids.ts'
import { linkUrls, signPreferenceToken } from './preference-token.ts'
import { parseLinkScope, requireAudienceForScope } from '../suppressions/suppression.ts'

/** Signed links with which one person unsubscribes from one audience or from the whole workspace. They never expire. */
export async function createPreferenceToken(
  ctx: Ctx,
  req: CreatePreferenceTokenRequest,
): Promise<Reply<typeof CreatePreferenceTokenResponseSchema>> {
  const { workspaceId, config } = ctx
  const givenAudience = requireAudienceForScope(parseLinkScope(req.scope), req.audienceId)
  const contactId = pathId('contact', req.contactId)

  const audienceId = await ctx.tx(async (em) => {
    if (!(await contactExists(em, workspaceId, contactId))) throw notFound('contact')
    if (givenAudience === null) return null
    const id = bodyId('audience_id', givenAudience)
    if (!(await findAudience(em, workspaceId, id))) throw unknownReference('audience_id')
    return id
  })
  const claim = { workspaceId, contactId, audienceId, issuedAt: ctx.now() }
  return linkUrls(config.baseUrl, signPreferenceToken(config.preferenceSigningKeys, claim))
}
