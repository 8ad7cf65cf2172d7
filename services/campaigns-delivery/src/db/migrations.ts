import type { ServiceSchema } from '@lettergate/database/migrate'
import { Content } from './migrations/001-content.ts'
import { Delivery } from './migrations/002-delivery.ts'
import { RecipientsByContact } from './migrations/003-recipients-by-contact.ts'
import { TestSends } from './migrations/004-test-sends.ts'
import { CampaignWebhooks } from './migrations/005-campaign-webhooks.ts'
import { RunControl } from './migrations/006-run-control.ts'
import { RunTallies } from './migrations/007-run-tallies.ts'
import { RunBreaker } from './migrations/008-run-breaker.ts'
import { FairDelivery } from './migrations/009-fair-delivery.ts'
import { SettledWebhookDeliveries } from './migrations/010-settled-webhook-deliveries.ts'
import { WebhookTurns } from './migrations/011-webhook-turns.ts'
import { OwnSearchPath } from './migrations/012-own-search-path.ts'
import { SnapshotJobs } from './migrations/013-snapshot-jobs.ts'
import { DeadLetterStates } from './migrations/016-dead-letter-states.ts'
import { ErasedContacts } from './migrations/017-erased-contacts.ts'
import { HandOffsAndFacts } from './migrations/018-hand-offs-and-facts.ts'
import { ResentRuns } from './migrations/019-resent-runs.ts'
import { FactsTalliedOnce } from './migrations/020-facts-tallied-once.ts'
import { OutboxWrittenOnce } from './migrations/021-outbox-written-once.ts'
import { FactsNameTheirEvent } from './migrations/022-facts-name-their-event.ts'
import { AutomationEmails } from './migrations/023-automation-emails.ts'
import { ResendsWithinTheInterval } from './migrations/024-resends-within-the-interval.ts'
import { OverdueLookups } from './migrations/025-overdue-lookups.ts'
import { MessagesWithoutHandOff } from './migrations/026-messages-without-hand-off.ts'
import { Preflights } from './migrations/027-preflights.ts'
import { SyntheticRehearsals } from './migrations/028-synthetic-rehearsals.ts'
import { StalledRuns } from './migrations/029-stalled-runs.ts'
import { ConfirmationEmails } from './migrations/030-confirmation-emails.ts'
import { PersonEvents } from './migrations/031-person-events.ts'
import { MessageWithoutEnd } from './migrations/032-message-without-end.ts'
import { MessagesNamedOnce } from './migrations/033-messages-named-once.ts'
import { OutboxHeadersAsText } from './migrations/034-outbox-headers-as-text.ts'
import { AutomationTallies } from './migrations/035-automation-tallies.ts'
import { OutboxGroups } from './migrations/036-outbox-groups.ts'
import { MessagesOfTheirBatch } from './migrations/037-messages-of-their-batch.ts'

export const schema: ServiceSchema = {
  schema: 'campaigns',
  role: 'campaigns',
  migrations: [
    { name: '001-content', class: Content },
    { name: '002-delivery', class: Delivery },
    { name: '003-recipients-by-contact', class: RecipientsByContact },
    { name: '004-test-sends', class: TestSends },
    { name: '005-campaign-webhooks', class: CampaignWebhooks },
    { name: '006-run-control', class: RunControl },
    { name: '007-run-tallies', class: RunTallies },
    { name: '008-run-breaker', class: RunBreaker },
    { name: '009-fair-delivery', class: FairDelivery },
    { name: '010-settled-webhook-deliveries', class: SettledWebhookDeliveries },
    { name: '011-webhook-turns', class: WebhookTurns },
    { name: '012-own-search-path', class: OwnSearchPath },
    { name: '013-snapshot-jobs', class: SnapshotJobs },
    { name: '016-dead-letter-states', class: DeadLetterStates },
    { name: '017-erased-contacts', class: ErasedContacts },
    { name: '018-hand-offs-and-facts', class: HandOffsAndFacts },
    { name: '019-resent-runs', class: ResentRuns },
    { name: '020-facts-tallied-once', class: FactsTalliedOnce },
    { name: '021-outbox-written-once', class: OutboxWrittenOnce },
    { name: '022-facts-name-their-event', class: FactsNameTheirEvent },
    { name: '023-automation-emails', class: AutomationEmails },
    { name: '024-resends-within-the-interval', class: ResendsWithinTheInterval },
    { name: '025-overdue-lookups', class: OverdueLookups },
    { name: '026-messages-without-hand-off', class: MessagesWithoutHandOff },
    { name: '027-preflights', class: Preflights },
    { name: '028-synthetic-rehearsals', class: SyntheticRehearsals },
    { name: '029-stalled-runs', class: StalledRuns },
    { name: '030-confirmation-emails', class: ConfirmationEmails },
    { name: '031-person-events', class: PersonEvents },
    { name: '032-message-without-end', class: MessageWithoutEnd },
    { name: '033-messages-named-once', class: MessagesNamedOnce },
    { name: '034-outbox-headers-as-text', class: OutboxHeadersAsText },
    { name: '035-automation-tallies', class: AutomationTallies },
    { name: '036-outbox-groups', class: OutboxGroups },
    { name: '037-messages-of-their-batch', class: MessagesOfTheirBatch },
  ],
}
