import { ConnectionHolds } from './connections/connection-hold.entity.ts'
import { ConnectionPaces } from './connections/connection-pace.entity.ts'
import { DomainHolds } from './connections/domain-hold.entity.ts'
import { ConsentWithdrawals } from './contacts/consent-withdrawal.entity.ts'
import { ErasedContacts } from './contacts/erased-contact.entity.ts'
import { RefusalsHeard } from './contacts/refusal-heard.entity.ts'
import { ContentVersions } from './content/content-version.entity.ts'
import { HandOffs } from './delivery/hand-off.entity.ts'
import { IntervalClaims } from './delivery/interval-claim.entity.ts'
import { CampaignDraftVersions } from './drafts/campaign-draft-version.entity.ts'
import { Campaigns } from './drafts/campaign.entity.ts'
import { IdempotencyKeys } from './idempotency/idempotency-key.entity.ts'
import { EventCounts } from './messages/event-count.entity.ts'
import { MessageFacts } from './messages/message-fact.entity.ts'
import { CampaignRuns } from './runs/campaign-run.entity.ts'
import { DeliveryBatches } from './runs/delivery-batch.entity.ts'
import { RunRecipients } from './runs/run-recipient.entity.ts'
import { RunTallies } from './runs/run-tally.entity.ts'
import { RunTimeline } from './runs/run-timeline.entity.ts'
import { SnapshotJobs } from './schedule/snapshot-job.entity.ts'
import { Snapshots } from './schedule/snapshot.entity.ts'
import { EmailTemplates } from './templates/email-template.entity.ts'
import { Rehearsals } from './testing/rehearsal.entity.ts'
import { TestSends } from './testing/test-send.entity.ts'
import { CampaignWebhookDeliveries } from './webhooks/campaign-webhook-delivery.entity.ts'
import { CampaignWebhooks } from './webhooks/campaign-webhook.entity.ts'

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
  MessageFacts,
  IntervalClaims,
  RefusalsHeard,
  ConnectionHolds,
  DomainHolds,
  ConnectionPaces,
  EventCounts,
  RunTallies,
  RunTimeline,
  ConsentWithdrawals,
  TestSends,
  Rehearsals,
  CampaignWebhooks,
  CampaignWebhookDeliveries,
  ErasedContacts,
]
