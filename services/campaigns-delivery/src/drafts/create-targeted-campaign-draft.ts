import type {
  CreateTargetedCampaignDraftRequest,
  CreateTargetedCampaignDraftResponseSchema,
} from '@lettergate/contracts/campaigns/v1/drafts'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireCampaign } from './campaign-draft-version.entity.ts'
import { detailedCampaign } from './detailed-campaign.ts'
import { parseDraft } from './draft-input.ts'
import { makeDraft } from './make-draft.ts'

/** Creates a campaign for several audiences, with an optional tag filter. A contact in several audiences gets one message. */
export async function createTargetedCampaignDraft(
  ctx: Ctx,
  req: CreateTargetedCampaignDraftRequest,
): Promise<Reply<typeof CreateTargetedCampaignDraftResponseSchema>> {
  const { name, audienceIds, tagFilter, senderIdentityId, contentVersionId, notes } = req
  const input = parseDraft({ name, audienceIds, tagFilter, senderIdentityId, contentVersionId, notes })
  const id = await makeDraft(ctx, input)
  return ctx.tx(async (em) => ({ campaign: detailedCampaign(await requireCampaign(em, ctx.workspaceId, id)) }))
}
