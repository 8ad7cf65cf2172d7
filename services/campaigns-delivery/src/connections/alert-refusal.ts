import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { HoldReason } from './backoff.ts'
import type { SendingRoute } from './connection-hold.entity.ts'
import { aboutDomain } from './end-connection-alerts.ts'

/** Raises an alert for a cooldown that only a person can end. */
export async function alertRefusal(
  em: Em,
  route: SendingRoute,
  reason: HoldReason,
  detail: Record<string, string>,
): Promise<void> {
  const alert = refusals[reason]
  if (!alert) return
  await publish(em, AlertRaisedSchema, {
    code: alert.code,
    severity: 'critical',
    summary: alert.summary,
    about: reason === 'domain_refused' ? aboutDomain(route) : route.connectionId,
    detail: {
      connection_id: route.connectionId,
      ...(reason === 'domain_refused' ? { domain_name: route.domainName } : {}),
      ...detail,
    },
  })
}

const refusals: Partial<Record<HoldReason, { code: string; summary: string }>> = {
  credential_refused: {
    code: 'provider_credential_refused',
    summary:
      'The mail provider refuses the credential of a connection. Its deliveries wait. Check the connection and its key.',
  },
  domain_refused: {
    code: 'provider_domain_refused',
    summary:
      'The mail provider does not allow a domain to send, or does not know it. Its deliveries wait; the other domains of its connection continue.',
  },
}
