import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { CampaignDraftVersion, requireCampaign } from './campaign-draft-version.entity.ts'
import { Campaign } from './campaign.entity.ts'
import { requireContent, requireSenderAndAudiences, type DraftInput } from './draft-input.ts'
import { requireExpectedDraft } from './require-expected-draft.ts'

/** Creates a campaign with its first immutable draft version and returns its id. Schedules and sends nothing. */
export async function makeDraft(ctx: Ctx, input: DraftInput): Promise<string> {
  const { workspaceId, caller } = ctx
  await requireSenderAndAudiences(ctx, input)
  return ctx.tx(async (em) => {
    await requireContent(em, workspaceId, input.contentVersionId)
    const id = newId()
    await em.insert(Campaign, { workspaceId, id, currentVersion: 1, createdBy: caller.actor })
    await insertVersion(em, ctx, { input, campaignId: id, version: 1 })
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_draft_created',
      subjectType: 'campaign',
      subjectId: id,
      actor: caller.actor,
      detail: { version: 1 },
    })
    return id
  })
}

/**
 * Appends an immutable version, which becomes the current version. Fault `conflict` when `expectedVersion` is given and another
 * version is current, `failed_precondition` when the campaign is not a draft, or when the version would drop a tag filter that
 * its author cannot see.
 */
export async function appendDraftVersion(
  ctx: Ctx,
  appending: { campaignId: string; input: DraftInput; seesTagFilter: boolean; expectedVersion?: number | undefined },
): Promise<void> {
  const { campaignId, input, seesTagFilter, expectedVersion } = appending
  const { workspaceId, caller } = ctx
  await ctx.tx(async (em) =>
    requireExpectedDraft(await requireCampaign(em, workspaceId, campaignId), expectedVersion, saving),
  )
  await requireSenderAndAudiences(ctx, input)
  await ctx.tx(async (em) => {
    await requireContent(em, workspaceId, input.contentVersionId)
    const appended = await kyselyOf(em, Campaign)
      .updateTable('campaigns')
      .set((eb) => ({ current_version: eb('current_version', '+', 1) }))
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', campaignId)
      .where('status', '=', 'draft')
      .where('deleted_at', 'is', null)
      .$if(expectedVersion !== undefined, (update) => update.where('current_version', '=', expectedVersion!))
      .returning('current_version as version')
      .executeTakeFirst()
    if (!appended) {
      const campaign = await requireCampaign(em, workspaceId, campaignId)
      requireExpectedDraft(campaign, expectedVersion, saving)
      const { status } = campaign
      throw new Fault(
        'failed_precondition',
        'campaign_not_draft',
        `Only a draft takes another version, and this campaign is ${status}. Unschedule its run first, or make a new campaign.`,
      )
    }
    const { version } = appended
    if (!seesTagFilter) await requireNoTagFilter(em, { workspaceId, campaignId, version: version - 1 })
    await insertVersion(em, ctx, { input, campaignId, version })
    await publish(em, AuditRecordedSchema, {
      action: 'campaign_draft_version_created',
      subjectType: 'campaign',
      subjectId: campaignId,
      actor: caller.actor,
      detail: { version },
    })
  })
}

const saving = {
  notDone: 'Nothing was saved.',
  next: (version: number) => `or expect version ${version} to replace it`,
}

/**
 * Refuses a version from the API after one with a tag filter. The API has no tag filter, so the campaign would silently go
 * to more contacts.
 */
async function requireNoTagFilter(
  em: Em,
  { workspaceId, campaignId, version }: { workspaceId: string; campaignId: string; version: number },
): Promise<void> {
  const before = await em.findOne(CampaignDraftVersion, { workspaceId, campaignId, version })
  if (before && before.tagFilter !== null)
    throw new Fault(
      'failed_precondition',
      'tag_filter',
      'This draft is filtered by tags, which a version from the API would drop. Append the version in the console.',
    )
}

const insertVersion = (
  em: Em,
  { workspaceId, caller }: Ctx,
  { input, campaignId, version }: { input: DraftInput; campaignId: string; version: number },
) =>
  em.insert(CampaignDraftVersion, {
    workspaceId,
    id: newId(),
    campaignId,
    version,
    name: input.name,
    audienceIds: input.audienceIds,
    tagFilter: input.tagFilter,
    senderIdentityId: input.senderIdentityId,
    contentVersionId: input.contentVersionId,
    notes: input.notes,
    createdBy: caller.actor,
  })
