import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Config } from './config.ts'
import type { ImportMetrics } from './metrics.ts'

export interface Deps {
  config: Config
  metrics: ImportMetrics
  contacts: Client<typeof ContactsConsent>
  identity: Client<typeof Identity>
  sending: Client<typeof SendingInfra>
  /** Tells every worker to look for work now. Call it after the commit. */
  wakeWorkers: () => void
}

/** The first argument of every operation and job of this service. */
export type Ctx = Context<Deps>
