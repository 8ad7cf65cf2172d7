import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { nobody, openContent } from './content-stage.ts'

let s: Awaited<ReturnType<typeof openContent>>
beforeAll(async () => {
  s = await openContent()
})
afterAll(() => s.close())

const kinds = [
  {
    what: 'an audience',
    reason: 'audience_in_use',
    make: () => s.audience(),
    ask: (audienceId: string, caller = s.us) => s.campaigns.requireAudienceUnused(caller, { audienceId }),
    draftWith: async (audienceId: string) => ({ audienceId, senderIdentityId: await s.sender() }),
  },
  {
    what: 'a sender',
    reason: 'sender_in_use',
    make: () => s.sender(),
    ask: (senderId: string, caller = s.us) => s.campaigns.requireSenderUnused(caller, { senderId }),
    draftWith: async (senderIdentityId: string) => ({ audienceId: await s.audience(), senderIdentityId }),
  },
]

describe.each(kinds)('$what', ({ reason, make, ask, draftWith }) => {
  const draft = async (used: string) => {
    const { campaign } = await s.campaigns.createCampaignDraft(s.us, {
      name: 'May email',
      contentVersionId: await s.content(),
      ...(await draftWith(used)),
    })
    return campaign!.id
  }

  test('may be deleted unless a draft names it; the error names the campaign', async () => {
    const [used, free] = [await make(), await make()]
    const campaignId = await draft(used)
    await ask(free)
    const refused = await ask(used).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'failed_precondition', reason })
    for (const word of ['May email', campaignId]) expect((refused as Error).message).toContain(word)
  })

  test('is only needed by campaigns that are not over', async () => {
    const used = await make()
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

  test('of another tenant is not affected, and unknown ids are unused', async () => {
    const used = await make()
    await draft(used)
    await ask(used, s.them)
    for (const id of [nobody, 'x']) await ask(id)
  })
})
