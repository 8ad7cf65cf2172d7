import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@lettergate/stage/ports'
import { campaignsApi } from './campaigns-services.ts'
import { newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { audience, subscriber } from '@lettergate/gateway/test/people-and-senders'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

let made: ReadyStage
let gateway: GatewayStage
/** The same platform in a deployment whose environment does not open the ceiling. */
let belowCeiling: Pick<GatewayStage, 'call'>
let audienceId: string
beforeAll(async () => {
  made = await readyToSend()
  gateway = made.gateway
  const rpcPort = await freePort()
  const targets = { ...gateway.targets, IDENTITY_TARGET: `127.0.0.1:${rpcPort}` }
  belowCeiling = await gateway.replica({
    ...(await campaignsApi(gateway.stage, targets)),
    RPC_PORT: String(rpcPort),
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'false',
  })
  audienceId = await audience(gateway)
  await subscriber(gateway, audienceId)
})
afterAll(() => gateway.close())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const sql = (text: string) => () => gateway.stage.query(text)
/** Changes a column of the only row of a table, and restores it. */
const column = (table: string, bad: string, good: string) => ({
  close: sql(`update ${table} set ${bad}`),
  open: sql(`update ${table} set ${good}`),
})
const archive = (isArchived: boolean) => () =>
  gateway.call('POST', `${newsletter}/email-templates/${made.templateId}/archive`, {
    as: 'editor',
    body: { archived: isArchived },
  })

async function draft(): Promise<string> {
  const { json } = await gateway.call('POST', `${newsletter}/campaign-drafts`, {
    as: 'editor',
    body: {
      name: 'Spring',
      audience_id: audienceId,
      sender_identity_id: made.senderId,
      content_version_id: made.contentVersionId,
    },
  })
  return (json['campaign'] as { id: string }).id
}

interface Asked {
  as?: string
  at?: string
  of?: () => Pick<GatewayStage, 'call'>
}
const schedule = (id: string, { as = 'editor', at = inAnHour(), of = () => gateway }: Asked = {}) =>
  of().call('POST', `${newsletter}/campaign-drafts/${id}/schedule`, {
    as,
    body: { scheduled_for: at },
    headers: { 'idempotency-key': randomUUID() },
  })

interface Condition {
  /** number of the condition in the specification, and the problem */
  what: string
  says: string
  status?: number
  ask?: Asked
  close?: () => Promise<unknown>
  open?: () => Promise<unknown>
}

/** The eleven conditions of the specification, each broken in every possible way. */
const conditions: Condition[] = [
  { what: '1: the capability', status: 403, says: 'schedule_campaign', ask: { as: 'analyst' } },
  { what: '2: a time with a timezone', says: 'scheduled_for', ask: { at: '2035-01-01T10:00:00' } },
  {
    what: '2: a time in the future',
    says: 'scheduled_for must lie in the future',
    ask: { at: '2020-01-01T10:00:00Z' },
  },
  {
    what: '3: a draft',
    says: 'Only a draft can be scheduled',
    ...column('campaigns.campaigns', `status = 'cancelled'`, `status = 'draft'`),
  },
  {
    what: '4: an audience that is not archived',
    says: 'The audience of this campaign is archived',
    ...column('contacts.audiences', 'archived_at = now()', 'archived_at = null'),
  },
  {
    what: '4: content that is not archived',
    says: 'The email template of this campaign is archived',
    close: archive(true),
    open: archive(false),
  },
  {
    what: '5: a ready sender',
    says: 'does not pass every readiness check',
    ...column('sending.sending_domains', `dmarc_state = 'failed'`, `dmarc_state = 'verified'`),
  },
  {
    what: '6: the ceiling of the environment',
    says: 'does not set ALLOW_PRODUCTION_SENDING_ACTIVATION',
    ask: { of: () => belowCeiling },
  },
  {
    what: '7: the global switch',
    says: 'platform gate production_sending_enabled is closed',
    ...column(
      `identity.platform_gates as gate`,
      `stored = false where name = 'production_sending_enabled'`,
      `stored = true where name = 'production_sending_enabled'`,
    ),
  },
  {
    what: "8: the workspace's sending",
    says: 'not activated for this workspace',
    ...column(
      'identity.workspaces',
      `production_sending_enabled = false where slug = 'newsletter'`,
      `production_sending_enabled = true where slug = 'newsletter'`,
    ),
  },
  {
    what: '9: an active provider',
    says: 'provider connection',
    ...column('sending.provider_connections', 'is_active = false', 'is_active = true'),
  },
  {
    what: '9: a verified provider',
    says: 'provider connection',
    ...column(
      'sending.provider_connections',
      `connection_state = 'failed', is_active = false`,
      `connection_state = 'verified', is_active = true`,
    ),
  },
  {
    what: '10: a verification that is not too old',
    says: 'verification of the sending domain is too old',
    ...column(
      'sending.sending_domains',
      `checked_at = checked_at - interval '25 hours'`,
      `checked_at = checked_at + interval '25 hours'`,
    ),
  },
  {
    what: '11: an enabled sender',
    says: 'The sender identity is not enabled',
    ...column('sending.sender_identities', 'is_enabled = false', 'is_enabled = true'),
  },
]

describe('each unmet condition refuses scheduling by itself and is named; when it is met again, scheduling works', () => {
  test.each(conditions)('$what', async ({ says, status = 422, ask, close, open }) => {
    const id = await draft()
    await close?.()
    const refused = await schedule(id, ask)
    await open?.()
    const named = [...new Set(conditions.map((one) => one.says))].filter((words) => refused.text.includes(words))
    expect({ status: refused.status, says: named.includes(says) }).toEqual({ status, says: true })
    // The refusal of a time names its field for every problem.
    expect(named.filter((words) => !words.startsWith('scheduled_for') && words !== says)).toEqual([])
    const { status: afterwards, json } = await schedule(id)
    expect([afterwards, (json['campaign_run'] as { state: string }).state]).toEqual([200, 'scheduled'])
  })

  test('the message names the ceiling when ceiling and switch are both closed', async () => {
    const id = await draft()
    await gateway.stage.query('update identity.platform_gates set stored = false')
    const { text } = await schedule(id, { of: () => belowCeiling })
    await gateway.stage.query('update identity.platform_gates set stored = true')
    expect(text).toContain('ALLOW_PRODUCTION_SENDING_ACTIVATION')
  })
})
