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
 * Creates a campaign with its first immutable draft version. Schedules and sends nothing. Fault `invalid_argument` for
 * unknown ids, `failed_precondition` for an archived audience or empty content.
 */
export async function createCampaignDraft(
  ctx: Ctx,
  req: CreateCampaignDraftRequest,
): Promise<Reply<typeof CreateCampaignDraftResponseSchema>> {
  const { name, audienceId, senderIdentityId, contentVersionId, notes } = req
  const id = await makeDraft(ctx, parseDraft({ name, audienceId, senderIdentityId, contentVersionId, notes }))
  return ctx.tx(async (em) => ({ campaign: campaignReply(await requireCampaign(em, ctx.workspaceId, id)) }))
}
