import { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { contexts, type Database } from '@lettergate/database'
import type { Bus } from '@lettergate/events'
import { wakeWorkers } from '@lettergate/events/wake-workers'
import { connect } from '@lettergate/rpc'
import type { Service } from '@lettergate/service'
import type { Config } from './config.ts'
import type { Deps } from './ctx.ts'
import { versionGraphs } from './enrollments/version-graphs.ts'
import { openAutomationGate } from './gates/automation-gate.ts'

interface Parts {
  db: Database
  bus: Bus
  /** of the state of the gate, in milliseconds */
  gateClock?: () => number
}

/** Connects to the services that automations asks, and makes the contexts of its operations, consumers and jobs. */
export async function openContexts(service: Service, config: Config, { db, bus, gateClock }: Parts) {
  const identity = await service.use(connect(service, config.identityTarget, Identity))
  return contexts<Deps>(db, service, {
    config,
    contacts: await service.use(connect(service, config.contactsTarget, ContactsConsent)),
    campaigns: await service.use(connect(service, config.campaignsTarget, CampaignsDelivery)),
    identity,
    emails: await service.use(connect(service, config.campaignsWorkerTarget, AutomationEmails)),
    gate: openAutomationGate(identity, gateClock),
    graphs: versionGraphs(),
    wakeWorkers: () => wakeWorkers(bus, service.name),
  })
}
