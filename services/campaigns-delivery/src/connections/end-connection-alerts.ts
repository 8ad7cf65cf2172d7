import type { Em } from '@lettergate/database'
import { endAlert } from '@lettergate/events'

interface RefusedDomain {
  connectionId: string
  domainName: string
}

export const aboutDomain = ({ connectionId, domainName }: RefusedDomain) => `${connectionId} ${domainName}`

/** Ends the alerts of a connection whose cooldown ended because the provider accepted its credential. */
export async function endConnectionAlerts(em: Em, connectionId: string): Promise<void> {
  await endAlert(em, 'provider_credential_refused', connectionId)
  await endAlert(em, 'connection_cooldown', connectionId)
}

export const endDomainAlert = (em: Em, domain: RefusedDomain): Promise<void> =>
  endAlert(em, 'provider_domain_refused', aboutDomain(domain))
