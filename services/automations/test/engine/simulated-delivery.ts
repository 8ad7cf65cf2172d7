import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { Fault } from '@lettergate/fault'
import type { Client } from '@lettergate/rpc'
import { emailWaitsMs, type EnrollmentModel } from './enrollment-model.ts'

/**
 * campaigns-delivery as a trace wants it: a step that has a result keeps it, and a step without one gets the result of the time. It
 * knows the steps only by the ids that the engine sends.
 */
export function simulateDelivery(model: EnrollmentModel) {
  const results = new Map<string, { outcome: string; reasons: string[] }>()
  const emails = new Map<string, number>()

  function resultOf(stepId: string, contactId: string) {
    const known = results.get(stepId)
    if (known) return known
    const { delivery, isGateOpen } = model
    if (delivery === 'is down' || delivery === 'waits' || delivery === 'is under way' || !isGateOpen) return undefined
    const decided = {
      accepts: { outcome: 'accepted', reasons: [] },
      skips: { outcome: 'skipped', reasons: ['not_subscribed'] },
      fails: { outcome: 'failed', reasons: ['status_400'] },
      'is not sure': { outcome: 'unknown', reasons: [] },
    }[delivery]
    results.set(stepId, decided)
    if (delivery === 'accepts' || delivery === 'is not sure') emails.set(contactId, (emails.get(contactId) ?? 0) + 1)
    return decided
  }
  const client: Pick<Client<typeof AutomationEmails>, 'sendAutomationEmails'> = {
    async sendAutomationEmails(_, { emails: asked = [] }) {
      if (model.delivery === 'is down') throw new Fault('unavailable', 'campaigns-delivery', 'Not reachable.')
      const waitingReason = model.delivery === 'is under way' ? 'under_way' : 'workspace_sending'
      const retryAt = timestampFromDate(new Date(model.now + emailWaitsMs))
      return {
        $typeName: 'lettergate.campaigns.v1.SendAutomationEmailsResponse',
        results: asked.map(({ stepId = '', contactId = '' }) => ({
          $typeName: 'lettergate.campaigns.v1.AutomationEmailResult' as const,
          stepId,
          ...(resultOf(stepId, contactId) ?? { outcome: 'waiting', reasons: [waitingReason], retryAt }),
          messageId: stepId,
          isHeld: false,
        })),
      }
    },
  }
  return {
    client: client as Client<typeof AutomationEmails>,
    emailsTo: (contactId: string) => emails.get(contactId) ?? 0,
  }
}
