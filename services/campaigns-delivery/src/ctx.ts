import type { AutomationMetrics } from './automation-emails/metrics.ts'
import type { ConfirmationMetrics } from './confirmations/metrics.ts'
import type { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import type { Imports } from '@lettergate/contracts/imports/v1/imports'
import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Config } from './config.ts'
import type { ContentThreads } from './content/content-threads.ts'
import type { DeliveryMetrics } from './delivery/metrics.ts'
import type { HandOffOrigins } from './delivery/origin.ts'
import type { HeardChanges } from './gates/heard-changes.ts'
import type { ConsumerState } from '@lettergate/events/consumer-state'
import type { handOffMessages } from './provider/mailgun/mailgun.ts'
import type { TestingMetrics } from './testing/metrics.ts'

export interface Deps {
  config: Config
  identity: Client<typeof Identity>
  contacts: Client<typeof ContactsConsent>
  sending: Client<typeof SendingInfra>
  imports: Client<typeof Imports>
  webhooks: Client<typeof WebhookIntake>
  metrics: DeliveryMetrics & TestingMetrics & AutomationMetrics & ConfirmationMetrics
  origins: HandOffOrigins
  changes: HeardChanges
  contentThreads: ContentThreads
  /** Calls the provider. A synthetic rehearsal has another one, which calls nobody. */
  handOffMessages: typeof handOffMessages
  /** Tells every worker to look for work now. Call it after the commit. */
  wakeWorkers: () => void
  /** The state of a durable consumer of this service, or undefined while NATS does not answer. */
  consumerState: (stream: string, durable: string) => Promise<ConsumerState | undefined>
}

/** The first argument of every operation, consumer and job of this service. */
export type Ctx = Context<Deps>
