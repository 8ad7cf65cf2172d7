import type {
  CreateCampaignDraftRequest,
  CreateCampaignDraftResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, newId, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { campaignReply, requireCampaign } from '../db/campaign-draft-versions.ts'
import { findContentState } from '../db/content-versions.ts'
import { charsMax, optionalText, requiredText } from '../domain/free-text.ts'
import { isId } from '../domain/identifier.ts'

/**
 * Makes a campaign with its first immutable draft version. It schedules and sends nothing. Ids that name nothing in this workspace are
 * `invalid_argument` by field; an archived audience or content with nothing in it is `failed_precondition`.
 */
export async function createCampaignDraft(
  ctx: Ctx,
  req: CreateCampaignDraftRequest,
): Promise<Reply<typeof CreateCampaignDraftResponseSchema>> {
  const name = requiredText('name', req.name, charsMax.name)
  const notes = optionalText('notes', req.notes, charsMax.other)
  for (const [field, id] of Object.entries({
    audience_id: req.audienceId,
    sender_identity_id: req.senderIdentityId,
    content_version_id: req.contentVersionId,
  })) {
    if (!isId(id)) throw unknownReference(field)
  }
  await requireSender(ctx, req.senderIdentityId)
  const audience = await describeAudience(ctx, req.audienceId)

  return ctx.tx(async (em) => {
    await requireContent(em, ctx.workspaceId, req.contentVersionId)
    if (audience.isArchived) {
      throw new Fault('failed_precondition', 'audience_archived', 'The audience is archived. Choose another one.')
    }
    const id = newId()
    await execute(
      em,
      sql`insert into campaigns (workspace_id, id, current_version, created_by) values (${ctx.workspaceId}, ${id}, 1, ${ctx.caller.actor})`,
    )
    await execute(
      em,
      sql`insert into campaign_draft_versions (workspace_id, id, campaign_id, version, name, audience_ids, sender_identity_id, content_version_id, notes, created_by)
          values (${ctx.workspaceId}, ${newId()}, ${id}, 1, ${name}, ${[req.audienceId]}::uuid[], ${req.senderIdentityId}, ${req.contentVersionId}, ${notes}, ${ctx.caller.actor})`,
    )
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_draft_created',
      subjectType: 'campaign',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { version: 1 },
    })
    return { campaign: campaignReply(await requireCampaign(em, ctx.workspaceId, id)) }
  })
}

async function requireSender(ctx: Ctx, senderIdentityId: string): Promise<void> {
  try {
    await ctx.sending.getSenderReadiness(ctx, { senderIdentityId })
  } catch (error) {
    throw error instanceof Fault && error.code === 'not_found' ? unknownReference('sender_identity_id') : error
  }
}

async function describeAudience(ctx: Ctx, audienceId: string): Promise<{ isArchived: boolean }> {
  const { audiences } = await ctx.contacts.describeAudiences(ctx, { audienceIds: [audienceId] })
  const audience = audiences.find((candidate) => candidate.id === audienceId)
  if (audience === undefined) throw unknownReference('audience_id')
  return audience
}

async function requireContent(em: Em, workspaceId: string, id: string): Promise<void> {
  const content = await findContentState(em, workspaceId, id)
  if (content === undefined) throw unknownReference('content_version_id')
  if (!content.valid) {
    throw new Fault(
      'failed_precondition',
      'content_empty',
      'Nothing was left of this content version when it was sanitised. Append another version.',
    )
  }
}

function unknownReference(field: string): Fault {
  return new Fault('invalid_argument', field, `${field} names nothing in this workspace.`)
}
