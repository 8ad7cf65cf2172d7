import type { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import type { Operations } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { createCampaignDraft } from './create-campaign-draft.ts'
import { createContentVersion } from './create-content-version.ts'
import { createEmailTemplate } from './create-email-template.ts'
import { createRehearsal } from './create-rehearsal.ts'
import { createTestSend } from './create-test-send.ts'
import { getCampaignRun } from './get-campaign-run.ts'
import { getCampaignRunReport } from './get-campaign-run-report.ts'
import { getRehearsal } from './get-rehearsal.ts'
import { listRehearsals } from './list-rehearsals.ts'
import { listTestSends } from './list-test-sends.ts'
import { requireAudienceUnused } from './require-audience-unused.ts'
import { requireConnectionUnused } from './require-connection-unused.ts'
import { requireContactUnmailed } from './require-contact-unmailed.ts'
import { requireSenderUnused } from './require-sender-unused.ts'
import { scheduleCampaign } from './schedule-campaign.ts'

export const operations = {
  createEmailTemplate,
  createContentVersion,
  createCampaignDraft,
  scheduleCampaign,
  getCampaignRun,
  getCampaignRunReport,
  createTestSend,
  createRehearsal,
  getRehearsal,
  listTestSends,
  listRehearsals,
  requireAudienceUnused,
  requireContactUnmailed,
  requireSenderUnused,
  requireConnectionUnused,
} satisfies Operations<typeof CampaignsDelivery, Ctx>
