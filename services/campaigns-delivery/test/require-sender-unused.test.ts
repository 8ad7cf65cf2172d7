import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const ask = (senderId: string, caller = s.us) => s.campaigns.requireSenderUnused(caller, { senderId })
const draft = async (senderIdentityId: string) => {
  const { campaign } = await s.campaigns.createCampaignDraft(s.us, {
    name: 'July letter',
    audienceId: await s.audience(),
    senderIdentityId,
    contentVersionId: await s.content(),
  })
  return campaign!.id
}

test('a sender that no draft names may go; one that a draft names may not, and the campaign is told', async () => {
  const [used, free] = [await s.sender(), await s.sender()]
  const campaignId = await draft(used)
  await ask(free)
  const refused = await ask(used).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'failed_precondition', reason: 'sender_in_use' })
  for (const word of ['July letter', campaignId]) expect((refused as Error).message).toContain(word)
})

test('only campaigns that are not over count', async () => {
  const used = await s.sender()
  const campaignId = await draft(used)
  const setStatus = (status: string) =>
    s.stage.query('update campaigns.campaigns set status = $1 where id = $2', [status, campaignId])
  for (const status of ['draft', 'scheduled', 'sending']) {
    await setStatus(status)
    await expect(ask(used)).rejects.toMatchObject({ code: 'failed_precondition' })
  }
  for (const status of ['sent', 'cancelled']) {
    await setStatus(status)
    await ask(used)
  }
})

test('what another tenant plans is nobody else’s business, and ids that name nothing are unused', async () => {
  const used = await s.sender()
  await draft(used)
  await ask(used, s.them)
  for (const id of [nobody, 'x']) await ask(id)
})
