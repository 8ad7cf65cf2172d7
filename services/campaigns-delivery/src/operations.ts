import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from './ctx.ts'
import { archiveEmailTemplate } from './templates/archive-email-template.ts'
import { controlCampaignRun } from './runs/control-campaign-run.ts'
import { createCampaignDraftVersion } from './drafts/create-campaign-draft-version.ts'
import { createCampaignDraft } from './drafts/create-campaign-draft.ts'
import { createContentVersion } from './content/create-content-version.ts'
import { createEmailTemplate } from './templates/create-email-template.ts'
import { createRehearsal } from './testing/create-rehearsal.ts'
import { createTargetedCampaignDraftVersion } from './drafts/create-targeted-campaign-draft-version.ts'
import { createTargetedCampaignDraft } from './drafts/create-targeted-campaign-draft.ts'
import { createTestSend } from './testing/create-test-send.ts'
import { deleteCampaign } from './drafts/delete-campaign.ts'
import { getCampaignRunReport } from './reports/get-campaign-run-report.ts'
import { getCampaignRunTimeline } from './reports/get-campaign-run-timeline.ts'
import { listCampaignRunRecipients } from './runs/list-campaign-run-recipients.ts'
import { listCampaignRuns } from './runs/list-campaign-runs.ts'
import { getCampaignRun } from './runs/get-campaign-run.ts'
import { getCampaignWebhook } from './webhooks/get-campaign-webhook.ts'
import { getCampaign } from './drafts/get-campaign.ts'
import { getContentVersion } from './content/get-content-version.ts'
import { getEmailTemplate } from './templates/get-email-template.ts'
import { getRehearsal } from './testing/get-rehearsal.ts'
import { listCampaignWebhookDeliveries } from './webhooks/list-campaign-webhook-deliveries.ts'
import { listCampaigns } from './drafts/list-campaigns.ts'
import { listEmailTemplates } from './templates/list-email-templates.ts'
import { listLastMessages } from './messages/list-last-messages.ts'
import { listRehearsals } from './testing/list-rehearsals.ts'
import { listTestSends } from './testing/list-test-sends.ts'
import { requireAudienceUnused } from './drafts/require-audience-unused.ts'
import { requireConnectionUnused } from './connections/require-connection-unused.ts'
import { requireContactUnmailed } from './messages/require-contact-unmailed.ts'
import { requireSenderUnused } from './drafts/require-sender-unused.ts'
import { resendCampaignRunUnknown } from './resend/resend-campaign-run-unknown.ts'
import { scheduleCampaign } from './schedule/schedule-campaign.ts'
import { setCampaignWebhook } from './webhooks/set-campaign-webhook.ts'
import { testCampaignWebhook } from './webhooks/test-campaign-webhook.ts'
import { unscheduleCampaignRun } from './runs/unschedule-campaign-run.ts'

export const operations = {
  createEmailTemplate,
  createContentVersion,
  archiveEmailTemplate,
  listEmailTemplates,
  getEmailTemplate,
  getContentVersion,
  createCampaignDraft,
  createCampaignDraftVersion,
  createTargetedCampaignDraft,
  createTargetedCampaignDraftVersion,
  listCampaigns,
  getCampaign,
  deleteCampaign,
  scheduleCampaign,
  unscheduleCampaignRun,
  controlCampaignRun,
  resendCampaignRunUnknown,
  getCampaignRun,
  getCampaignRunReport,
  listCampaignRuns,
  listCampaignRunRecipients,
  getCampaignRunTimeline,
  listLastMessages,
  createTestSend,
  createRehearsal,
  getRehearsal,
  listTestSends,
  listRehearsals,
  requireAudienceUnused,
  requireContactUnmailed,
  requireSenderUnused,
  requireConnectionUnused,
  getCampaignWebhook,
  setCampaignWebhook,
  testCampaignWebhook,
  listCampaignWebhookDeliveries,
} satisfies Operations<typeof CampaignsDelivery, Ctx>
