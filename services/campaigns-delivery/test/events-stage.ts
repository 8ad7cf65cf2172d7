import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { openStage } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'
import { insertHandOff } from './message-rows.ts'

const nowhere = '127.0.0.1:9'
const env = {
  IDENTITY_TARGET: nowhere,
  CONTACTS_CONSENT_TARGET: nowhere,
  SENDING_INFRA_TARGET: nowhere,
  IMPORTS_TARGET: nowhere,
  WEBHOOK_INTAKE_TARGET: nowhere,
  MAILPROVIDER_US_BASE_URL: `http://${nowhere}`,
  MAILPROVIDER_EU_BASE_URL: `http://${nowhere}`,
}

export interface ReportedEvent {
  event: string
  severity?: string
  reason?: string
  second: number
}

export const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second))

/** Both roles of the service without other services. Runs are inserted as delivery leaves them, and events are published. */
export async function openEvents() {
  const stage = await openStage({ schemas: [schema] })
  const api = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
  const campaigns = await stage.client(CampaignsDelivery, api.rpcPort!)
  await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker' })
  const workspaceId = newId()

  /** Inserts a run that was handed over in one call, with these facts. */
  async function handedOver(count: number, handOffState: 'accepted' | 'unknown' | 'claimed' = 'accepted') {
    const [templateId, contentId, campaignId, runId, handOffId] = Array.from({ length: 5 }, newId)
    await stage.query(
      `insert into campaigns.email_templates (workspace_id, id, name, slug, created_by) values ($1, $2, 'T', $3, 't')`,
      [workspaceId, templateId, `t-${templateId}`],
    )
    await stage.query(
      `insert into campaigns.content_versions (workspace_id, id, template_id, version, subject, sanitized_html, plain_text, personalization_defaults, validation, created_by) values ($1, $2, $3, 1, 's', '<p>x</p>', 'x', '{}', '{}', 't')`,
      [workspaceId, contentId, templateId],
    )
    await stage.query(
      `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sent', 1, 't')`,
      [workspaceId, campaignId],
    )
    await stage.query(
      `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, started_at, completed_at)
       values ($1, $2, $3, $2, $4, $2, 'completed', now(), $5, 't', 't', now() - interval '1 hour', now())`,
      [workspaceId, runId, campaignId, contentId, count],
    )
    const messageIds = Array.from({ length: count }, newId)
    const ids = { workspaceId, originId: runId!, connectionId: runId! }
    await insertHandOff(stage, { ...ids, id: handOffId!, messageIds, state: handOffState })
    return { runId: runId!, handOffId: handOffId!, messageIds }
  }

  const say = (messageId: string, { event, severity, reason, second }: ReportedEvent, options: SayOptions = {}) => {
    const { id = newId(), from = workspaceId, replayedAt, receivedAt = at(second) } = options
    return stage.publish(
      'webhook-intake',
      ProviderEventReceivedSchema,
      {
        id,
        connectionId: newId(),
        event,
        messageId,
        occurredAt: timestampFromDate(at(second)),
        receivedAt: timestampFromDate(receivedAt),
        ...(replayedAt ? { replayedAt: timestampFromDate(replayedAt) } : {}),
        ...(severity ? { severity } : {}),
        ...(reason ? { reason } : {}),
      },
      // the first event is published under its own id
      { workspaceId: from, id: replayedAt ? newId() : id },
    )
  }
  const report = async (runId: string) =>
    (await campaigns.getCampaignRunReport(stage.caller({ workspaceId }), { runId })).report!
  const eventsOf = async (runId: string) =>
    Object.values((await report(runId)).events).reduce((sum, count) => sum + count, 0)

  return { stage, campaigns, workspaceId, us: stage.caller({ workspaceId }), handedOver, say, report, eventsOf }
}

export interface SayOptions {
  id?: string
  from?: string
  replayedAt?: Date
  receivedAt?: Date
}

export type EventsStage = Awaited<ReturnType<typeof openEvents>>
