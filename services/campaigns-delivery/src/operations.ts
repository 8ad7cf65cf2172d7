import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Operations } from '@lettergate/rpc'
import { requireConnectionUnused } from './connections/require-connection-unused.ts'
import { requireConfirmationEmail } from './confirmations/require-confirmation-email.ts'
import { createContentVersion } from './content/create-content-version.ts'
import { getContentVersion } from './content/get-content-version.ts'
import { renderContentVersion } from './content/render-content-version.ts'
import type { AutomationEmails } from '@lettergate/contracts/campaigns/v1/automation_emails'
import type { WorkerCtx } from './automation-emails/send-automation-emails.ts'
import { sendAutomationEmails } from './automation-emails/send-automation-emails.ts'
import { describeAutomationEmails } from './automation-emails/describe-automation-emails.ts'
import type { Ctx } from './ctx.ts'
import { createCampaignDraftVersion } from './drafts/create-campaign-draft-version.ts'
import { createCampaignDraft } from './drafts/create-campaign-draft.ts'
import { createTargetedCampaignDraftVersion } from './drafts/create-targeted-campaign-draft-version.ts'
import { createTargetedCampaignDraft } from './drafts/create-targeted-campaign-draft.ts'
import { deleteCampaign } from './drafts/delete-campaign.ts'
import { getCampaign } from './drafts/get-campaign.ts'
import { listCampaigns } from './drafts/list-campaigns.ts'
import { requireAudienceUnused } from './drafts/require-audience-unused.ts'
import { requireSenderUnused } from './drafts/require-sender-unused.ts'
import { describeMessages } from './messages/describe-messages.ts'
import { listContactMessages } from './messages/list-contact-messages.ts'
import { listLastMessages } from './messages/list-last-messages.ts'
import { requireContactUnmailed } from './messages/require-contact-unmailed.ts'
import { getPreflight } from './preflight/get-preflight.ts'
import { listPreflights } from './preflight/list-preflights.ts'
import { runPreflight } from './preflight/run-preflight.ts'
import { createSyntheticRehearsal } from './synthetic-rehearsals/create-synthetic-rehearsal.ts'
import { getSyntheticRehearsal } from './synthetic-rehearsals/get-synthetic-rehearsal.ts'
import { reconstructEmailTemplate } from './reconstruction/reconstruct-email-template.ts'
import { getCampaignRunReport } from './reports/get-campaign-run-report.ts'
import { getSendingOverview } from './reports/get-sending-overview.ts'
import { getCampaignRunTimeline } from './reports/get-campaign-run-timeline.ts'
import { getCampaignRunUnknown } from './resend/get-campaign-run-unknown.ts'
import { resendCampaignRunUnknown } from './resend/resend-campaign-run-unknown.ts'
import { controlCampaignRun } from './runs/control-campaign-run.ts'
import { getCampaignRun } from './runs/get-campaign-run.ts'
import { listCampaignRunRecipients } from './runs/list-campaign-run-recipients.ts'
import { listCampaignRuns } from './runs/list-campaign-runs.ts'
import { unscheduleCampaignRun } from './runs/unschedule-campaign-run.ts'
import { scheduleCampaign } from './schedule/schedule-campaign.ts'
import { archiveEmailTemplate } from './templates/archive-email-template.ts'
import { createEmailTemplate } from './templates/create-email-template.ts'
import { getEmailTemplate } from './templates/get-email-template.ts'
import { listEmailTemplates } from './templates/list-email-templates.ts'
import { createRehearsal } from './testing/create-rehearsal.ts'
import { createTestSend } from './testing/create-test-send.ts'
import { getRehearsal } from './testing/get-rehearsal.ts'
import { listRehearsals } from './testing/list-rehearsals.ts'
import { listTestSends } from './testing/list-test-sends.ts'
import { getCampaignWebhookPersonEvents } from './webhooks/get-campaign-webhook-person-events.ts'
import { getCampaignWebhook } from './webhooks/get-campaign-webhook.ts'
import { listCampaignWebhookDeliveries } from './webhooks/list-campaign-webhook-deliveries.ts'
import { setCampaignWebhookPersonEvents } from './webhooks/set-campaign-webhook-person-events.ts'
import { setCampaignWebhook } from './webhooks/set-campaign-webhook.ts'
import { testCampaignWebhook } from './webhooks/test-campaign-webhook.ts'

/** The operations of the role `api` by feature. A gateway route leads to each, unless the comment says who asks. */
export const operations = {
  // templates
  createEmailTemplate,
  archiveEmailTemplate,
  listEmailTemplates,
  getEmailTemplate,

  // content
  createContentVersion,
  getContentVersion,
  renderContentVersion,

  // reconstruction, called by reconstruct
  reconstructEmailTemplate,

  // drafts
  createCampaignDraft,
  createCampaignDraftVersion,
  createTargetedCampaignDraft,
  createTargetedCampaignDraftVersion,
  listCampaigns,
  getCampaign,
  deleteCampaign,
  // drafts, asked before a deletion
  requireAudienceUnused,
  requireSenderUnused,

  // schedule
  scheduleCampaign,

  // runs
  unscheduleCampaignRun,
  controlCampaignRun,
  getCampaignRun,
  listCampaignRuns,
  listCampaignRunRecipients,

  // resend
  getCampaignRunUnknown,
  resendCampaignRunUnknown,

  // reports
  getCampaignRunReport,
  getCampaignRunTimeline,
  getSendingOverview,

  // messages
  listContactMessages,
  listLastMessages,
  describeMessages,
  // messages, asked before a deletion
  requireContactUnmailed,

  // connections, asked before a deletion
  requireConnectionUnused,

  // testing
  createTestSend,
  createRehearsal,
  getRehearsal,
  listTestSends,
  listRehearsals,

  // preflight
  runPreflight,
  getPreflight,
  listPreflights,

  // synthetic rehearsals
  createSyntheticRehearsal,
  getSyntheticRehearsal,

  // confirmations, asked before a change
  requireConfirmationEmail,

  // automation emails, called by automations
  describeAutomationEmails,

  // webhooks
  getCampaignWebhook,
  setCampaignWebhook,
  getCampaignWebhookPersonEvents,
  setCampaignWebhookPersonEvents,
  testCampaignWebhook,
  listCampaignWebhookDeliveries,
} satisfies Operations<typeof CampaignsDelivery, Ctx>

/** The operations of the role `worker`. */
export const workerOperations = {
  // automation emails, called by automations
  sendAutomationEmails,
} satisfies Operations<typeof AutomationEmails, WorkerCtx>
