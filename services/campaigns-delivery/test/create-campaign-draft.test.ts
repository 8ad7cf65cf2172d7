import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let stage: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => void (stage = await openContent()))
afterAll(() => stage.close())

const request = (caller = stage.us) => stage.draftRequest(caller)

test('a draft is created as version 1 of a campaign for one audience, and sends nothing', async () => {
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

test('a draft version cannot be changed or deleted', async () => {
  const { campaign } = await stage.campaigns.createCampaignDraft(stage.us, await request())
  await expect(
    stage.stage.query(`update campaigns.campaign_draft_versions set name = 'x' where campaign_id = $1`, [campaign!.id]),
  ).rejects.toThrow('never changed or removed')
  await expect(
    stage.stage.query('delete from campaigns.campaign_draft_versions where campaign_id = $1', [campaign!.id]),
  ).rejects.toThrow('never changed or removed')
})

test.each(['audienceId', 'senderIdentityId', 'contentVersionId'] as const)(
  'an unknown, malformed or foreign %s is refused in the same way, by its field name',
  async (key) => {
    const [ours, theirs] = [await request(), await request(stage.them)]
    const field = key.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
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

test('content that is empty after sanitising is refused', async () => {
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
])('the error of bad input names the field %s', async (field, over) => {
  await expect(stage.campaigns.createCampaignDraft(stage.us, { ...(await request()), ...over })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: field,
  })
})

test('nothing is created while the contacts service is unavailable', async () => {
  const given = await request()
  await stage.contactsApp.stop()
  const before = await stage.stage.query('select 1 from campaigns.campaigns')
  await expect(stage.campaigns.createCampaignDraft(stage.us, given)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await stage.stage.query('select 1 from campaigns.campaigns')).toHaveLength(before.length)
})
