import type {
  CreateCampaignDraftVersionRequest,
  CreateCampaignDraftVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { campaignReply, requireCampaign } from './campaign-draft-version.entity.ts'
import { parseDraft } from './draft-input.ts'
import { appendDraftVersion } from './make-draft.ts'

/**
 * Appends an immutable version for one audience, which becomes the current version. Only drafts accept versions. A version
 * with a tag filter cannot be followed by this request, because it cannot carry the filter.
 */
export async function createCampaignDraftVersion(
  ctx: Ctx,
  req: CreateCampaignDraftVersionRequest,
): Promise<Reply<typeof CreateCampaignDraftVersionResponseSchema>> {
  const { campaignId, name, audienceId, senderIdentityId, contentVersionId, notes } = req
  const input = parseDraft({ name, audienceId, senderIdentityId, contentVersionId, notes })
  await appendDraftVersion(ctx, { campaignId, input, seesTagFilter: false })
  return ctx.tx(async (em) => ({ campaign: campaignReply(await requireCampaign(em, ctx.workspaceId, campaignId)) }))
}
