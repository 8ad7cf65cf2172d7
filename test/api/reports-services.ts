import { randomUUID } from 'node:crypto'
import { newId } from '@lettergate/database'
import { freePort } from '@lettergate/stage/ports'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { schema } from '@lettergate/campaigns-delivery/migrations'
import { start } from '@lettergate/campaigns-delivery/service'
import { loadConfig as loadIntake } from '@lettergate/webhook-intake/config'
import { schema as intakeSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { gatewayStage, newsletter, type GatewayStage, type MoreServices } from '@lettergate/gateway/test/gateway-stage'

const signingKey = 'dev-webhook-signing-key'

export interface ReportsStage extends GatewayStage {
  workspaceId: string
  /** Inserts a run of a campaign with this name, whose messages were accepted in one call. Returns the message ids in the order of the addresses. */
  accepted(emails: string[], name?: string): Promise<{ runId: string; messageIds: string[] }>
  /** Sends one signed event of the provider about a message. Returns the id of the event in Lettergate. */
  sendEvent(messageId: string, event: string, more?: object): Promise<string>
}

/** The gateway with the real campaigns-delivery and webhook-intake, and a provider that sends events. */
export async function reportsStage(more?: MoreServices): Promise<ReportsStage> {
  // campaigns-delivery calls webhook-intake, which starts after it
  const [intakePort, intakeRpcPort] = [await freePort(), await freePort()]
  const gateway = await gatewayStage(
    {},
    {
      schemas: [schema, intakeSchema, ...(more?.schemas ?? [])],
      async boot(stage, targets) {
        const others = await more?.boot(stage, targets)
        const intakeTarget = { WEBHOOK_INTAKE_TARGET: `127.0.0.1:${intakeRpcPort}` }
        const env = { ...targets, ...others, ...intakeTarget, MAILPROVIDER_WEBHOOK_SIGNING_KEY: signingKey }
        const api = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
        await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker' })
        await stage.boot('webhook-intake', startIntake, loadIntake, {
          ...env,
          HTTP_PORT: String(intakePort),
          RPC_PORT: String(intakeRpcPort),
        })
        return {
          ...others,
          ...intakeTarget,
          CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${api.rpcPort}`,
        }
      },
    },
  )
  const { stage } = gateway
  const made = await gateway.call('POST', `${newsletter}/provider-connections`, {
    as: 'owner',
    body: {
      name: 'Provider',
      credential_env_key: 'MAILPROVIDER_API_KEY',
      webhook_signing_env_key: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    },
  })
  const connectionId = (made.json['provider_connection'] as { id: string }).id
  const [{ id: workspaceId } = { id: '' }] = await stage.query<{ id: string }>(
    `select id from identity.workspaces where slug = 'newsletter'`,
  )

  async function accepted(emails: string[], name = 'November') {
    const [contentId, campaignId, runId, handOffId, templateId] = Array.from({ length: 5 }, newId)
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
      `insert into campaigns.campaign_draft_versions (workspace_id, id, campaign_id, version, name, audience_ids, sender_identity_id, content_version_id, created_by) values ($1, $2, $2, 1, $3, array[$2::uuid], $2, $4, 't')`,
      [workspaceId, campaignId, name, contentId],
    )
    await stage.query(
      `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, started_at, completed_at)
       values ($1, $2, $3, $2, $4, $2, 'completed', now(), $5, 't', 't', now() - interval '1 hour', now())`,
      [workspaceId, runId, campaignId, contentId, emails.length],
    )
    await stage.query(
      `insert into campaigns.snapshots (workspace_id, id, run_id, campaign_id, draft_version, audience_ids, included_count, excluded_count, exclusion_counts) values ($1, $2, $2, $3, 1, array[$3::uuid], $4, 0, '{}')`,
      [workspaceId, runId, campaignId, emails.length],
    )
    const messageIds = emails.map(() => newId())
    await stage.query(
      `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email)
       select $1, t.id, $2, 0, t.id, t.id, t.email from unnest($3::uuid[], $4::text[]) as t (id, email)`,
      [workspaceId, runId, messageIds, emails],
    )
    await stage.query(
      `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, judged_at)
       values ($1, $2, 'run', $3, 0, $4::uuid[], $5, 'mail.acme.test', 'us', 'MAILPROVIDER_API_KEY', 'accepted', now())`,
      [workspaceId, handOffId, runId, messageIds, connectionId],
    )
    return { runId: runId!, messageIds }
  }

  async function sendEvent(messageId: string, event: string, more: object = {}) {
    const data = {
      id: randomUUID(),
      event,
      timestamp: Date.now() / 1000,
      'user-variables': { message_id: messageId },
      ...more,
    }
    const answer = await fetch(`http://127.0.0.1:${intakePort}/webhooks/mailprovider/${connectionId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ signature: sign(signingKey), 'event-data': data }),
    })
    return ((await answer.json()) as { id: string }).id
  }
  return { ...gateway, workspaceId, accepted, sendEvent }
}
