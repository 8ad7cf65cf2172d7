import { AutomationEmail } from './automation-emails/automation-email.entity.ts'
import { AutomationTally } from './automation-emails/automation-tally.entity.ts'
import { ConfirmationEmail } from './confirmations/confirmation-email.entity.ts'
import { ConnectionHold } from './connections/connection-hold.entity.ts'
import { ConnectionPace } from './connections/connection-pace.entity.ts'
import { DomainHold } from './connections/domain-hold.entity.ts'
import { ConsentWithdrawal } from './contacts/consent-withdrawal.entity.ts'
import { ErasedContact } from './contacts/erased-contact.entity.ts'
import { HeardRefusal } from './contacts/heard-refusal.entity.ts'
import { ContentVersion } from './content/content-version.entity.ts'
import { HandOff } from './delivery/hand-off.entity.ts'
import { IntervalClaim } from './delivery/interval-claim.entity.ts'
import { CampaignDraftVersion } from './drafts/campaign-draft-version.entity.ts'
import { Campaign } from './drafts/campaign.entity.ts'
import { IdempotencyKey } from './idempotency/idempotency-key.entity.ts'
import { EventCount } from './messages/event-count.entity.ts'
import { MessageFact } from './messages/message-fact.entity.ts'
import { Preflight } from './preflight/preflight.entity.ts'
import { CampaignRun } from './runs/campaign-run.entity.ts'
import { DeliveryBatch } from './runs/delivery-batch.entity.ts'
import { RunRecipient } from './runs/run-recipient.entity.ts'
import { RunTally } from './runs/run-tally.entity.ts'
import { RunTimeline } from './runs/run-timeline.entity.ts'
import { SnapshotJob } from './schedule/snapshot-job.entity.ts'
import { Snapshot } from './schedule/snapshot.entity.ts'
import { SyntheticRehearsal } from './synthetic-rehearsals/synthetic-rehearsal.entity.ts'
import { EmailTemplate } from './templates/email-template.entity.ts'
import { Rehearsal } from './testing/rehearsal.entity.ts'
import { TestSend } from './testing/test-send.entity.ts'
import { CampaignWebhookDelivery } from './webhooks/campaign-webhook-delivery.entity.ts'
import { CampaignWebhook } from './webhooks/campaign-webhook.entity.ts'

/** One entity for each table of the schema. */
export const entities = [
  EmailTemplate,
  ContentVersion,
  Campaign,
  CampaignDraftVersion,
  CampaignRun,
  Snapshot,
  SnapshotJob,
  IdempotencyKey,
  RunRecipient,
  DeliveryBatch,
  HandOff,
  MessageFact,
  IntervalClaim,
  HeardRefusal,
  ConnectionHold,
  DomainHold,
  ConnectionPace,
  EventCount,
  RunTally,
  RunTimeline,
  ConsentWithdrawal,
  TestSend,
  Rehearsal,
  Preflight,
  SyntheticRehearsal,
  CampaignWebhook,
  CampaignWebhookDelivery,
  ErasedContact,
  AutomationEmail,
  AutomationTally,
  ConfirmationEmail,
]
