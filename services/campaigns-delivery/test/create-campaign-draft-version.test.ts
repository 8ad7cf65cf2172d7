import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const request = (caller = stage.us) => stage.draftRequest(caller)

/** The same for the console, with several audiences. */
async function targeted(audiences = 1, caller = stage.us) {
  const { audienceId, ...rest } = await request(caller)
  const more = await Promise.all(Array.from({ length: audiences - 1 }, () => stage.audience(caller)))
  return { ...rest, audienceIds: [audienceId, ...more] }
}

const draft = async (caller = stage.us) =>
  (await stage.campaigns.createCampaignDraft(caller, await request(caller))).campaign!
const setStatus = (id: string, status: string) =>
  stage.stage.query('update campaigns.campaigns set status = $2 where id = $1', [id, status])
const versionsOf = (id: string) =>
  stage.stage.query<Record<string, unknown>>(
    'select * from campaigns.campaign_draft_versions where campaign_id = $1 order by version',
    [id],
  )

describe('a version from the API', () => {
  test('becomes the current one, and the version before is unchanged', async () => {
    const campaign = await draft()
    const [before] = await versionsOf(campaign.id)
    const next = { ...(await request()), name: 'Summer', notes: 'now warmer' }
    const { campaign: appended } = await stage.campaigns.createCampaignDraftVersion(stage.us, {
      campaignId: campaign.id,
      ...next,
    })
    const { notes: _, ...shown } = next
    expect(appended).toMatchObject({
      id: campaign.id,
      status: 'draft',
      currentVersion: 2,
      draft: { version: 2, audienceIds: [next.audienceId], ...shown },
    })
    expect((await versionsOf(campaign.id))[0]).toEqual(before)
  })

  test('gets its own number when many are created at once', async () => {
    const campaign = await draft()
    const next = await request()
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        stage.campaigns.createCampaignDraftVersion(stage.us, { campaignId: campaign.id, ...next, name: `n${n}` }),
      ),
    )
    const versions = await versionsOf(campaign.id)
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 11 }, (_, n) => n + 1))
    expect(new Set(versions.map(({ name }) => name)).size).toBe(11)
  })

  test.each(['scheduled', 'sending', 'sent', 'cancelled'])('is refused once the campaign is %s', async (status) => {
    const campaign = await draft()
    await setStatus(campaign.id, status)
    await expect(
      stage.campaigns.createCampaignDraftVersion(stage.us, { campaignId: campaign.id, ...(await request()) }),
    ).rejects.toMatchObject({ code: 'failed_precondition', reason: 'campaign_not_draft' })
    expect(await versionsOf(campaign.id)).toHaveLength(1)
  })

  test('is refused when it would drop a tag filter; it may follow a version with several audiences', async () => {
    const filtered = await stage.campaigns.createTargetedCampaignDraft(stage.us, {
      ...(await targeted()),
      tagFilter: { any: ['vip'] },
    })
    await expect(
      stage.campaigns.createCampaignDraftVersion(stage.us, { campaignId: filtered.campaign!.id, ...(await request()) }),
    ).rejects.toMatchObject({ code: 'failed_precondition', reason: 'tag_filter' })
    expect(await versionsOf(filtered.campaign!.id)).toHaveLength(1)
    const several = await stage.campaigns.createTargetedCampaignDraft(stage.us, await targeted(2))
    const { campaign } = await stage.campaigns.createCampaignDraftVersion(stage.us, {
      campaignId: several.campaign!.id,
      ...(await request()),
    })
    expect(campaign!.draft!.audienceIds).toHaveLength(1)
  })

  test('is not found for a campaign of another tenant or an unknown campaign', async () => {
    const theirs = await draft(stage.them)
    for (const campaignId of [theirs.id, nobody, 'no-id'])
      await expect(
        stage.campaigns.createCampaignDraftVersion(stage.us, { campaignId, ...(await request()) }),
      ).rejects.toMatchObject({ code: 'not_found' })
    expect(await versionsOf(theirs.id)).toHaveLength(1)
  })

  test('is refused with the name of the wrong field', async () => {
    const campaign = await draft()
    const theirs = await request(stage.them)
    for (const [field, over] of [
      ['name', { name: ' ' }],
      ['audience_id', { audienceId: theirs.audienceId }],
      ['sender_identity_id', { senderIdentityId: theirs.senderIdentityId }],
      ['content_version_id', { contentVersionId: theirs.contentVersionId }],
    ] as const)
      await expect(
        stage.campaigns.createCampaignDraftVersion(stage.us, {
          campaignId: campaign.id,
          ...(await request()),
          ...over,
        }),
      ).rejects.toMatchObject({ code: 'invalid_argument', reason: field })
    expect(await versionsOf(campaign.id)).toHaveLength(1)
  })
})

describe('a draft from the console', () => {
  test('has several audiences, a tag filter and notes, in every version', async () => {
    const given = { ...(await targeted(3)), tagFilter: { any: ['vip'], none: ['cold'], all: [] }, notes: 'mind' }
    const { campaign } = await stage.campaigns.createTargetedCampaignDraft(stage.us, given)
    expect(campaign).toMatchObject({
      status: 'draft',
      currentVersion: 1,
      createdBy: 'tester',
      draft: { ...given, version: 1, tagFilter: { any: ['vip'], none: ['cold'] } },
    })
    expect(campaign!.draft!.audienceId).toBeUndefined()
    const { campaign: appended } = await stage.campaigns.createTargetedCampaignDraftVersion(stage.us, {
      campaignId: campaign!.id,
      ...(await targeted()),
    })
    expect(appended).toMatchObject({ currentVersion: 2, draft: { version: 2 } })
    expect(appended!.draft).toMatchObject({ audienceId: appended!.draft!.audienceIds[0] })
    expect([appended!.draft!.tagFilter, appended!.draft!.notes]).toEqual([undefined, undefined])
  })

  test('uses an audience once that is named twice', async () => {
    const given = await targeted(2)
    const { campaign } = await stage.campaigns.createTargetedCampaignDraft(stage.us, {
      ...given,
      audienceIds: [...given.audienceIds, ...given.audienceIds],
    })
    expect(campaign!.draft!.audienceIds).toEqual(given.audienceIds)
  })

  test('is refused with the name of the wrong field', async () => {
    const given = await targeted(2)
    const theirs = await stage.audience(stage.them)
    for (const [reason, over] of [
      ['audience_ids', { audienceIds: [] }],
      ['audience_ids', { audienceIds: [...given.audienceIds, theirs] }],
      ['audience_ids', { audienceIds: ['x'] }],
      ['audience_ids', { audienceIds: Array.from({ length: 101 }, () => newId()) }],
      ['tag_filter.any', { tagFilter: { any: 'vip' } }],
      ['tag_filter', { tagFilter: { some: ['vip'] } }],
    ] as const)
      await expect(
        stage.campaigns.createTargetedCampaignDraft(stage.us, { ...given, ...over } as never),
      ).rejects.toMatchObject({ code: 'invalid_argument', reason })
    await expect(
      stage.campaigns.createTargetedCampaignDraft(stage.us, { ...given, audienceIds: [...given.audienceIds, theirs] }),
    ).rejects.toMatchObject({ message: `audience_ids contains ids that do not exist in this workspace: ${theirs}.` })
    const archived = given.audienceIds[1]!
    await stage.archiveAudience(archived)
    await expect(stage.campaigns.createTargetedCampaignDraft(stage.us, given)).rejects.toMatchObject({
      code: 'failed_precondition',
      reason: 'audience_archived',
      message: `Of the audiences these are archived: ${archived}. Choose others.`,
    })
  })

  test('is refused after another version than the one it began with, says who saved that, and can replace it', async () => {
    const { id: campaignId } = await draft()
    const next = await targeted()
    const append = (expectedVersion: number) =>
      stage.campaigns.createTargetedCampaignDraftVersion(stage.us, { campaignId, ...next, expectedVersion })
    const saved = await Promise.allSettled([append(1), append(1)])
    expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await expect(append(1)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'campaign_changed',
      message: expect.stringMatching(
        /^Version 2 of this campaign was saved by tester at \S+Z, and you began with version 1\./,
      ),
    })
    expect((await append(2)).campaign).toMatchObject({ currentVersion: 3 })
    expect(await versionsOf(campaignId)).toHaveLength(3)
  })

  test('is not appended to a campaign of another tenant', async () => {
    const theirs = await draft(stage.them)
    await expect(
      stage.campaigns.createTargetedCampaignDraftVersion(stage.us, { campaignId: theirs.id, ...(await targeted()) }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('campaigns are listed', () => {
  test('newest first, page by page, optionally of one status, and only of this workspace', async () => {
    const made = [await draft(), await draft(), await draft()].map(({ id }) => id).toReversed()
    await setStatus(made[1]!, 'cancelled')
    const first = await stage.campaigns.listCampaigns(stage.us, { limit: 2 })
    const next = await stage.campaigns.listCampaigns(stage.us, { limit: 1, cursor: first.nextCursor! })
    expect([...first.campaigns, ...next.campaigns].map(({ id }) => id)).toEqual(made)
    const cancelled = await stage.campaigns.listCampaigns(stage.us, { status: 'cancelled' })
    expect(cancelled.campaigns.map(({ id }) => id)).toContain(made[1])
    expect(cancelled.campaigns.every(({ status }) => status === 'cancelled')).toBe(true)
    const theirs = await stage.campaigns.listCampaigns(stage.them, { limit: 200 })
    expect(theirs.campaigns.map(({ id }) => id)).not.toContain(made[0])
    for (const [reason, asked] of [
      ['status', { status: 'lost' }],
      ['limit', { limit: 0 }],
      ['cursor', { cursor: 'x' }],
    ] as const)
      await expect(stage.campaigns.listCampaigns(stage.us, asked)).rejects.toMatchObject({
        code: 'invalid_argument',
        reason,
      })
  })

  test('one at a time with all versions, newest first', async () => {
    const { id } = await draft()
    await stage.campaigns.createCampaignDraftVersion(stage.us, { campaignId: id, ...(await request()), name: 'Summer' })
    const { campaign, versions, runs } = await stage.campaigns.getCampaign(stage.us, { campaignId: id })
    expect(campaign).toMatchObject({ id, currentVersion: 2, draft: { name: 'Summer' } })
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [2, 'Summer'],
      [1, 'Spring'],
    ])
    expect(runs).toEqual([])
    for (const campaignId of [(await draft(stage.them)).id, nobody, 'x'])
      await expect(stage.campaigns.getCampaign(stage.us, { campaignId })).rejects.toMatchObject({ code: 'not_found' })
  })
})
