import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const request = (caller = stage.us) => stage.draftRequest(caller)

test('a draft is made as version 1 of a campaign, aimed at one audience, and sends nothing', async () => {
  const given = await request()
  const { campaign } = await stage.campaigns.createCampaignDraft(stage.us, { ...given, notes: 'for May' })
  expect(campaign).toMatchObject({
    status: 'draft',
    currentVersion: 1,
    draft: { version: 1, audienceIds: [given.audienceId], ...given },
  })
  expect(
    await stage.stage.query(
      'select notes, tag_filter, created_by from campaigns.campaign_draft_versions where campaign_id = $1',
      [campaign!.id],
    ),
  ).toEqual([{ notes: 'for May', tag_filter: null, created_by: 'tester' }])
  expect(await stage.stage.query('select 1 from campaigns.campaign_runs')).toEqual([])
})

test('a draft version is never changed or removed', async () => {
  const { campaign } = await stage.campaigns.createCampaignDraft(stage.us, await request())
  await expect(
    stage.stage.query(`update campaigns.campaign_draft_versions set name = 'x' where campaign_id = $1`, [campaign!.id]),
  ).rejects.toThrow('never changed or removed')
  await expect(
    stage.stage.query('delete from campaigns.campaign_draft_versions where campaign_id = $1', [campaign!.id]),
  ).rejects.toThrow('never changed or removed')
})

test.each(['audienceId', 'senderIdentityId', 'contentVersionId'] as const)(
  '%s that is unknown, malformed or of another tenant is refused alike, by the name of its field',
  async (key) => {
    const [ours, theirs] = [await request(), await request(stage.them)]
    const field = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    for (const id of [nobody, 'not-an-id', theirs[key]]) {
      await expect(stage.campaigns.createCampaignDraft(stage.us, { ...ours, [key]: id })).rejects.toMatchObject({
        code: 'invalid_argument',
        reason: field,
      })
    }
  },
)

test('an archived audience is refused', async () => {
  const given = await request()
  await stage.archiveAudience(given.audienceId)
  await expect(stage.campaigns.createCampaignDraft(stage.us, given)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'audience_archived',
  })
})

test('content of which sanitising left nothing is refused', async () => {
  const given = { ...(await request()), contentVersionId: await stage.content(stage.us, '<script>x</script>') }
  await expect(stage.campaigns.createCampaignDraft(stage.us, given)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'content_empty',
  })
})

test.each([
  ['name', { name: '' }],
  ['name', { name: 'n'.repeat(161) }],
  ['notes', { notes: 'n'.repeat(501) }],
])('bad input names the field %s', async (field, over) => {
  await expect(stage.campaigns.createCampaignDraft(stage.us, { ...(await request()), ...over })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: field,
  })
})

test('nothing is made while the contacts service cannot be asked', async () => {
  const given = await request()
  await stage.contactsApp.stop()
  const before = await stage.stage.query('select 1 from campaigns.campaigns')
  await expect(stage.campaigns.createCampaignDraft(stage.us, given)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await stage.stage.query('select 1 from campaigns.campaigns')).toHaveLength(before.length)
})
