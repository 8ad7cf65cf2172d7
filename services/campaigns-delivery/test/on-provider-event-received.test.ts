import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { CampaignsDelivery } from '@lettergate/contracts/campaigns/v1/campaigns'
import {
  MessageAcceptedSchema,
  MessageSettledSchema,
  ProviderEventReceivedSchema,
} from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import { openStage, until, type Stage } from '@lettergate/stage'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

const nowhere = '127.0.0.1:9'
const env = {
  IDENTITY_TARGET: nowhere,
  CONTACTS_CONSENT_TARGET: nowhere,
  SENDING_INFRA_TARGET: nowhere,
  MAILPROVIDER_US_BASE_URL: `http://${nowhere}`,
  MAILPROVIDER_EU_BASE_URL: `http://${nowhere}`,
}
const workspaceId = newId()
let stage: Stage
let campaigns: Client<typeof CampaignsDelivery>

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  const api = await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'api' })
  campaigns = await stage.client(CampaignsDelivery, api.rpcPort!)
  await stage.boot('campaigns-delivery', start, loadConfig, { ...env, ROLE: 'worker' })
}, 60_000)
afterAll(() => stage.close())
beforeEach(() => stage.query('delete from campaigns.outbox'))

/** A run that was handed over in one call, of which the given is known. */
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
  await stage.query(
    `insert into campaigns.hand_offs (workspace_id, id, run_id, batch, connection_id, domain_name, region, credential_env_key, recipient_count, state, judged_at) values ($1, $2, $3, 0, $2, 'd', 'us', 'MAILPROVIDER_KEY', $4, $5, now())`,
    [workspaceId, handOffId, runId, count, handOffState],
  )
  const messageIds = Array.from({ length: count }, newId)
  await stage.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email, state, hand_off_id) select $1, id, $2, 0, id, id, id::text, 'claimed', $3 from unnest($4::uuid[]) id`,
    [workspaceId, runId, handOffId, messageIds],
  )
  return { runId: runId!, handOffId: handOffId!, messageIds }
}

interface Said {
  event: string
  severity?: string
  reason?: string
  second: number
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second))
const say = (messageId: string, { event, severity, reason, second }: Said, id = newId(), from = workspaceId) =>
  stage.publish(
    'webhook-intake',
    ProviderEventReceivedSchema,
    {
      id,
      connectionId: newId(),
      event,
      messageId,
      occurredAt: timestampFromDate(at(second)),
      receivedAt: timestampFromDate(at(second)),
      ...(severity ? { severity } : {}),
      ...(reason ? { reason } : {}),
    },
    { workspaceId: from, id },
  )

async function report(runId: string) {
  return (await campaigns.getCampaignRunReport(stage.caller({ workspaceId }), { runId })).report!
}
const announced = async <T>(event: string, read: (payload: Buffer) => T) =>
  (
    await stage.query<{ payload: Buffer }>(`select payload from campaigns.outbox where event = $1 order by id`, [event])
  ).map(({ payload }) => read(payload))
const settled = async () =>
  (await announced('message_settled', (payload) => fromBinary(MessageSettledSchema, payload))).flatMap(
    ({ messages }) => messages,
  )
const eventsOf = async (runId: string) =>
  Object.values((await report(runId)).events).reduce((sum, count) => sum + count, 0)

test('1,000 messages with the same events in 1,000 orders, some twice, end the same, and each fact is announced once', async () => {
  const { runId, messageIds } = await handedOver(1_000)
  const said: Said[] = [
    { event: 'accepted', second: 1 },
    { event: 'failed', severity: 'temporary', second: 2 },
    { event: 'delivered', second: 3 },
    { event: 'opened', second: 4 },
    { event: 'opened', second: 9 },
    { event: 'clicked', second: 5 },
    { event: 'complained', second: 6 },
    { event: 'unsubscribed', second: 7 },
    { event: 'failed', severity: 'permanent', reason: 'bounce', second: 8 },
  ]
  const all = messageIds.flatMap((id) => said.map((item) => ({ id, item, eventId: newId() })))
  const order = [...all, ...all.slice(0, 500)]
    .map((each) => ({ each, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
  for (let start = 0; start < order.length; start += 250) {
    await Promise.all(order.slice(start, start + 250).map(({ each: { id, item, eventId } }) => say(id, item, eventId)))
  }
  await until(async () => (await eventsOf(runId)) === all.length, {
    timeoutMs: 60_000,
    what: 'every event to count once',
  })

  const distinct = await stage.query(
    `select distinct accepted_at, soft_failed_at, delivered_at, opened_at, clicked_at, complained_at, unsubscribed_at, hard_bounced_at from campaigns.run_recipients where run_id = $1`,
    [runId],
  )
  expect(distinct).toEqual([
    {
      accepted_at: at(1),
      soft_failed_at: at(2),
      delivered_at: at(3),
      opened_at: at(4),
      clicked_at: at(5),
      complained_at: at(6),
      unsubscribed_at: at(7),
      hard_bounced_at: at(8),
    },
  ])
  expect(await report(runId)).toMatchObject({
    sent: 1_000,
    hardBounced: 1_000,
    delivered: 0,
    softFailedOnly: 0,
    noTerminalEvent: 0,
    openedRecipients: 1_000,
    complained: 1_000,
    bounceRate: 100,
  })
  const facts = (await settled()).map(({ messageId, fact }) => `${messageId} ${fact}`)
  expect(new Set(facts).size).toBe(7 * 1_000)
  expect(facts).toHaveLength(7 * 1_000)
}, 120_000)

describe('an event before our own record of the hand-off', () => {
  test.each(['claimed', 'unknown'] as const)('settles a %s message as accepted, and tells so once', async (state) => {
    const { runId, handOffId, messageIds } = await handedOver(2, state)
    await say(messageIds[0]!, { event: 'delivered', second: 1 })
    await until(async () => (await eventsOf(runId)) === 1)
    expect(await report(runId)).toMatchObject({ sent: 1, delivered: 1, unknown: state === 'unknown' ? 1 : 0 })
    const stateOf = async () =>
      (await stage.query<{ state: string }>('select state from campaigns.hand_offs where id = $1', [handOffId]))[0]!
        .state
    await say(messageIds[1]!, { event: 'failed', severity: 'permanent', reason: 'bounce', second: 1 })
    await until(async () => (await stateOf()) === 'accepted', { what: 'the hand-off to be proven' })
    await say(messageIds[0]!, { event: 'opened', second: 2 })
    await until(async () => (await eventsOf(runId)) === 3)
    const accepted = (
      await announced('message_accepted', (payload) => fromBinary(MessageAcceptedSchema, payload))
    ).flatMap(({ recipients }) => recipients.map(({ messageId }) => messageId))
    expect(accepted.sort()).toEqual([...messageIds].sort())
  })
})

test("the provider's own suppression counts as bounced and is announced to nobody", async () => {
  const { runId, messageIds } = await handedOver(1)
  await say(messageIds[0]!, { event: 'failed', severity: 'permanent', reason: 'suppress-bounce', second: 1 })
  await until(async () => (await eventsOf(runId)) === 1)
  expect(await report(runId)).toMatchObject({ sent: 1, hardBounced: 1 })
  expect(await settled()).toEqual([])
})

test('an event about a message of another workspace, or of nobody, changes nothing', async () => {
  const { runId, messageIds } = await handedOver(1)
  await say(messageIds[0]!, { event: 'delivered', second: 1 }, newId(), newId())
  await say(newId(), { event: 'delivered', second: 1 })
  await say(messageIds[0]!, { event: 'opened', second: 2 })
  await until(async () => (await eventsOf(runId)) === 1)
  expect(await report(runId)).toMatchObject({
    sent: 1,
    delivered: 0,
    openedRecipients: 1,
    events: { delivered: 0, opened: 1 },
  })
})
