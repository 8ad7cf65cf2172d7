import type { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Config } from './config.ts'
import type { VersionGraphs } from './definition/graph.ts'
import type { AutomationGate } from './gates/automation-gate.ts'

export interface Deps {
  config: Config
  contacts: Client<typeof ContactsConsent>
  campaigns: Client<typeof CampaignsDelivery>
  identity: Client<typeof Identity>
  /** the workers of campaigns-delivery */
  emails: Client<typeof AutomationEmails>
  gate: AutomationGate
  graphs: VersionGraphs
  /** Tells every worker to look for work now. Call it after the commit. */
  wakeWorkers: () => void
}

/** The first argument of every operation and job of this service. */
export type Ctx = Context<Deps>
