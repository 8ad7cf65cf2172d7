import type {
  CreateCampaignDraftRequest,
  CreateCampaignDraftResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { campaignReply, requireCampaign } from './campaign-draft-version.entity.ts'
import { parseDraft } from './draft-input.ts'
import { makeDraft } from './make-draft.ts'

/**
 * Makes a campaign with its first immutable draft version. It schedules and sends nothing. Ids that name nothing in this workspace are
 * `invalid_argument` by field; an archived audience or content with nothing in it is `failed_precondition`.
 */
export async function createCampaignDraft(
  ctx: Ctx,
  req: CreateCampaignDraftRequest,
): Promise<Reply<typeof CreateCampaignDraftResponseSchema>> {
  const { name, audienceId, senderIdentityId, contentVersionId, notes } = req
  const id = await makeDraft(ctx, parseDraft({ name, audienceId, senderIdentityId, contentVersionId, notes }))
  return ctx.tx(async (em) => ({ campaign: campaignReply(await requireCampaign(em, ctx.workspaceId, id)) }))
}
