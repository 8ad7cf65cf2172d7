import { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { newId } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import { openDelivery } from './delivery-stage.ts'

export const automationGate = 'automation_enabled'

export interface AskedEmail {
  stepId: string
  enrollmentId: string
  automationId: string
  contactId: string
  audienceIds: string[]
  contentVersionId: string
  senderIdentityId: string
  traceparent: string
}

/** A workspace that may send, with content, and a worker that sends the emails of automations. */
export async function openAutomationEmails(options: Parameters<typeof openDelivery>[0] = {}) {
  const rig = await openDelivery(options)
  await rig.setGate(true, automationGate)
  const worker = await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '5000' })
  const emails = await rig.stage.client(AutomationEmails, worker.rpcPort!)
  const audienceId = await rig.audience()
  const { contentVersionId } = await rig.draft(audienceId)
  const automationId = newId()

  /** The email of a new step to this contact. */
  const email = (contactId: string, more: Partial<AskedEmail> = {}): AskedEmail => ({
    stepId: newId(),
    enrollmentId: newId(),
    automationId,
    contactId,
    audienceIds: [audienceId],
    contentVersionId,
    senderIdentityId: rig.senderId,
    traceparent: '',
    ...more,
  })
  const send = async (
    asked: readonly AskedEmail[],
    { to = emails, timeoutMs = 20_000 }: { to?: Client<typeof AutomationEmails>; timeoutMs?: number } = {},
  ) => (await to.sendAutomationEmails(rig.us, { emails: [...asked] }, { timeoutMs })).results

  return {
    ...rig,
    emails,
    workerApp: worker,
    audienceId,
    contentVersionId,
    automationId,
    email,
    send,
    /** Another worker and its client. */
    async another(more: Record<string, string> = {}) {
      const app = await rig.worker({ DELIVERY_HAND_OFF_TIMEOUT_MS: '5000', ...more })
      return rig.stage.client(AutomationEmails, app.rpcPort!)
    },
    /** A contact of the audience with a new address, and an email to them. */
    async person(name: string, more: Partial<AskedEmail> = {}) {
      const address = `${name}.${newId()}@example.org`
      const contactId = await rig.subscriber(more.audienceIds?.[0] ?? audienceId, address, name)
      return { address, contactId, email: email(contactId, more) }
    },
    messagesTo: async (address: string) => (await rig.messages()).filter(({ to }) => to === address),
    /** Messages calls that reached the provider. */
    calls: async () => ((await rig.sim('GET', '/stats')) as unknown as { message_calls: number }).message_calls,
    fault: (mode: string, latencyMs = 0) => rig.sim('PUT', '/faults', { mode, latency_ms: latencyMs }),
    endCooldown: () => rig.stage.query('delete from campaigns.connection_holds'),
    /** The hand-offs of one step, oldest first. */
    handOffs: (stepId: string) =>
      rig.stage.query<{ state: string; people: number; reason: string | null }>(
        `select state, recipient_count as people, reason from campaigns.hand_offs where kind = 'automation' and $1 = any(message_ids) order by claimed_at`,
        [stepId],
      ),
  }
}

export type AutomationStage = Awaited<ReturnType<typeof openAutomationEmails>>
