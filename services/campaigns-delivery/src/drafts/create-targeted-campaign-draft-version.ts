import type {
  CreateTargetedCampaignDraftVersionRequest,
  CreateTargetedCampaignDraftVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/drafts'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireCampaign } from './campaign-draft-version.entity.ts'
import { detailedCampaign } from './detailed-campaign.ts'
import { parseDraft } from './draft-input.ts'
import { appendDraftVersion } from './make-draft.ts'

/** Appends an immutable version with its own audiences and tag filter. Nothing is copied from the version before.
 * Fault `conflict` if the caller expected another version than the current one. */
export async function createTargetedCampaignDraftVersion(
  ctx: Ctx,
  req: CreateTargetedCampaignDraftVersionRequest,
): Promise<Reply<typeof CreateTargetedCampaignDraftVersionResponseSchema>> {
  const { campaignId, name, audienceIds, tagFilter, senderIdentityId, contentVersionId, notes, expectedVersion } = req
  const input = parseDraft({ name, audienceIds, tagFilter, senderIdentityId, contentVersionId, notes })
  await appendDraftVersion(ctx, { campaignId, input, seesTagFilter: true, expectedVersion })
  return ctx.tx(async (em) => ({ campaign: detailedCampaign(await requireCampaign(em, ctx.workspaceId, campaignId)) }))
}
