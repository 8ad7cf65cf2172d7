import { randomUUID } from 'node:crypto'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Client } from '@lettergate/rpc'
import { openDelivery } from './delivery-stage.ts'

export const testGate = 'test_sends_enabled'

/** A workspace that may send test messages, with content. */
export async function openTesting() {
  const rig = await openDelivery()
  await rig.setGate(true, testGate)
  const { emailTemplate } = await rig.campaigns.createEmailTemplate(rig.us, { name: 'Email', slug: 'email' })
  const { contentVersion } = await rig.campaigns.createContentVersion(rig.us, {
    templateId: emailTemplate!.id,
    subject: 'News for {{ first_name }}',
    html: '<p>Hello {{ first_name }}, <a href="{{ unsubscribe_url }}">leave</a></p>',
    personalizationDefaults: { first_name: 'friend' },
  })
  const contentVersionId = contentVersion!.id

  const input = (more: Partial<TestSendRequest> = {}): TestSendRequest => ({
    senderIdentityId: rig.senderId,
    contentVersionId,
    recipientEmail: `r-${randomUUID()}@example.org`,
    confirmation: 'SEND TEST EMAIL',
    idempotencyKey: randomUUID(),
    ...more,
  })
  return {
    ...rig,
    contentVersionId,
    input,
    async send(more: Partial<TestSendRequest> = {}, campaigns: Client<typeof CampaignsDelivery> = rig.campaigns) {
      return (await campaigns.createTestSend(rig.us, input(more), { timeoutMs: 30_000 })).testSend!
    },
    async rehearse(more: Partial<TestSendRequest> = {}, campaigns: Client<typeof CampaignsDelivery> = rig.campaigns) {
      const asked = input({ confirmation: 'RUN CONTROLLED REHEARSAL', ...more })
      return (await campaigns.createRehearsal(rig.us, asked, { timeoutMs: 30_000 })).rehearsal!
    },
    rehearsal: async (id: string) => (await rig.campaigns.getRehearsal(rig.us, { rehearsalId: id })).rehearsal!,
    /** The test send as the console lists it. */
    async listed(id: string) {
      const { testSends } = await rig.campaigns.listTestSends(rig.us, { limit: 200 })
      return testSends.find((one) => one.id === id)!
    },
    messagesTo: async (address: string) => (await rig.messages()).filter(({ to }) => to === address),
    /** Messages calls that reached the provider. */
    calls: async () => ((await rig.sim('GET', '/stats')) as unknown as { message_calls: number }).message_calls,
  }
}

export interface TestSendRequest {
  senderIdentityId: string
  contentVersionId: string
  recipientEmail: string
  confirmation: string
  idempotencyKey: string
}

export type TestingStage = Awaited<ReturnType<typeof openTesting>>
