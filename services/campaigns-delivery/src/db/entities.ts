import { CampaignDraftVersions } from './campaign-draft-versions.ts'
import { CampaignRuns } from './campaign-runs.ts'
import { CampaignWebhookDeliveries } from './campaign-webhook-deliveries.ts'
import { CampaignWebhooks } from './campaign-webhooks.ts'
import { Campaigns } from './campaigns.ts'
import { ConnectionHolds } from './connection-holds.ts'
import { ConnectionPaces } from './connection-paces.ts'
import { ConsentWithdrawals } from './consent-withdrawals.ts'
import { ContentVersions } from './content-versions.ts'
import { DeliveryBatches } from './delivery-batches.ts'
import { DomainHolds } from './domain-holds.ts'
import { EmailTemplates } from './email-templates.ts'
import { ErasedContacts } from './erased-contacts.ts'
import { HandOffs } from './hand-offs.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'
import { Rehearsals } from './rehearsals.ts'
import { RunEventCounts } from './run-event-counts.ts'
import { RunRecipients } from './run-recipients.ts'
import { RunTallies } from './run-tallies.ts'
import { RunTimeline } from './run-timeline.ts'
import { SnapshotJobs } from './snapshot-jobs.ts'
import { Snapshots } from './snapshots.ts'
import { TestEventCounts } from './test-event-counts.ts'
import { TestSends } from './test-sends.ts'

/** One entity for each table of the schema. */
export const entities = [
  EmailTemplates,
  ContentVersions,
  Campaigns,
  CampaignDraftVersions,
  CampaignRuns,
  Snapshots,
  SnapshotJobs,
  IdempotencyKeys,
  RunRecipients,
  DeliveryBatches,
  HandOffs,
  ConnectionHolds,
  DomainHolds,
  ConnectionPaces,
  RunEventCounts,
  RunTallies,
  RunTimeline,
  ConsentWithdrawals,
  TestSends,
  TestEventCounts,
  Rehearsals,
  CampaignWebhooks,
  CampaignWebhookDeliveries,
  ErasedContacts,
]
